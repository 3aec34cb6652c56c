#include <algorithm>
#include <chrono>
#include <new>
#include <thread>

#include "base/random.hpp"
#include "hitbox/rotation.hpp"
#include "hitbox/run.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::base;

TEST(quaternion_and_frame_are_inverse) {
  Random random(1);
  for (int k = 0; k < 1000; ++k) {
    Quaternion q{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    const Frame frame = to_frame(q);
    const Frame again = to_frame(to_quaternion(frame));
    for (int axis = 0; axis < 3; ++axis) CHECK(norm(frame.axis[axis] - again.axis[axis]) < 1e-14);
    CHECK_NEAR(dot(cross(frame.axis[0], frame.axis[1]), frame.axis[2]), 1.0, 1e-14);
  }
}

TEST(blocks_cover_every_index_once_for_any_thread_count) {
  for (unsigned threads : {1u, 2u, 3u, 8u}) {
    Run run(threads);
    std::vector<int> seen(10007);
    run.for_each_block(seen.size(), 100, [&](size_t first, size_t last, size_t) {
      for (size_t k = first; k < last; ++k) ++seen[k];
    });
    CHECK(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
  }
}

TEST(a_report_that_says_no_stops_the_run) {
  Run run(2, [](const char*, double) { return false; });
  bool stopped = false;
  try {
    run.for_each_block(100000, 1,
                       [&](size_t, size_t, size_t) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
  } catch (const Cancelled&) {
    stopped = true;
  }
  CHECK(stopped);
}

TEST(an_exception_in_any_thread_reaches_the_caller) {
  for (unsigned threads : {1u, 2u, 5u}) {
    for (size_t thrower : {size_t{0}, size_t{99}, size_t{57}}) {
      Run run(threads);
      bool caught = false;
      try {
        run.for_each_block(100, 1, [&](size_t first, size_t, size_t) {
          std::this_thread::sleep_for(std::chrono::microseconds(100));
          if (first == thrower) throw std::bad_alloc();
        });
      } catch (const std::bad_alloc&) {
        caught = true;
      }
      CHECK(caught);
      size_t sum = 0;  // the run still works
      std::vector<size_t> slots(10);
      run.for_each_block(10, 1, [&](size_t first, size_t, size_t) { slots[first] = first; });
      for (const size_t slot : slots) sum += slot;
      CHECK(sum == 45);
    }
  }
}

TEST(a_run_that_is_stopped_before_it_starts_does_nothing) {
  Run run(2, [](const char*, double) { return false; });
  bool stopped = false;
  try {
    run.enter("first", 0, 1);
  } catch (const Cancelled&) {
    stopped = true;
  }
  CHECK(stopped);
}

TEST(blocks_that_poll_are_left_on_all_threads_when_the_run_is_stopped) {
  for (unsigned threads : {1u, 3u}) {
    Run run(threads, [](const char*, double) { return false; });
    bool stopped = false;
    try {
      run.for_each_block(8, 1, [&](size_t, size_t, size_t) {
        for (;;) run.poll();
      });
    } catch (const Cancelled&) {
      stopped = true;
    }
    CHECK(stopped);
  }
}

TEST(a_stretch_is_the_whole_of_the_stages_in_it) {
  std::vector<double> seen;
  Run run(1, [&](const char*, double fraction) {
    seen.push_back(fraction);
    return true;
  });
  const auto enter = [&](double from, double to) {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));  // reports come every 50
    run.enter("stage", from, to);
  };
  enter(0, 0.5);
  {
    const Run::Stretch second(run, 0.5, 1);
    enter(0.5, 1);
    {
      const Run::Stretch last(run, 0.5, 1);
      enter(0.5, 1);
    }
    enter(0.9, 1);
  }
  enter(1, 1);
  CHECK((seen == std::vector<double>{0, 0.75, 0.875, 0.95, 1}));
}
