#include "hitbox/threads.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <new>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "hitbox/run.hpp"
#include "tests/check.hpp"

using namespace hitbox;

namespace {

std::vector<int> seen_by(Run& run, size_t count, size_t block_size) {
  std::vector<int> seen(count);
  run.for_each_block(count, block_size, [&](size_t first, size_t last, size_t) {
    for (size_t k = first; k < last; ++k) ++seen[k];
  });
  return seen;
}

bool is_once_each(const std::vector<int>& seen) {
  return std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; });
}

void rest() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

}  // namespace

TEST(shared_threads_do_each_block_once_for_many_runs) {
  for (const unsigned count : {1u, 2u, 5u}) {
    Threads threads(count);
    CHECK(threads.count() == count);
    for (size_t k = 0; k < 500; ++k) {
      Run run(threads);
      CHECK(is_once_each(seen_by(run, k, 1 + k % 7)));
    }
  }
}

TEST(runs_that_share_threads_start_none) {
  Threads threads(3);
  std::mutex mutex;
  std::set<std::thread::id> ids;
  for (int k = 0; k < 50; ++k) {
    Run run(threads);
    run.for_each_block(12, 1, [&](size_t, size_t, size_t) {
      rest();
      const std::lock_guard lock(mutex);
      ids.insert(std::this_thread::get_id());
    });
  }
  CHECK(ids.size() > 1);  // a helper gets some of 600 blocks that sleep
  CHECK(ids.size() <= 3);
}

TEST(threads_that_are_busy_for_one_caller_leave_another_to_work_alone) {
  Threads threads(3);
  std::vector<int> good(4);
  std::vector<std::thread> callers;
  for (int& mine : good) {
    callers.emplace_back([&threads, &mine] {
      for (size_t k = 0; k < 200; ++k) {
        Run run(threads);
        mine += is_once_each(seen_by(run, 100 + k, 3));
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(std::accumulate(good.begin(), good.end(), 0) == 800);
}

TEST(blocks_within_blocks_run_on_the_thread_of_the_outer_one) {
  for (const unsigned count : {1u, 4u}) {
    Run run(count);
    std::vector<std::vector<int>> seen(20);
    std::vector<int> strayed(20);
    run.for_each_block(seen.size(), 1, [&](size_t outer, size_t, size_t) {
      const auto here = std::this_thread::get_id();
      seen[outer].resize(50);
      run.for_each_block(50, 7, [&](size_t first, size_t last, size_t) {
        strayed[outer] += std::this_thread::get_id() != here;
        for (size_t k = first; k < last; ++k) ++seen[outer][k];
      });
    });
    CHECK(std::all_of(seen.begin(), seen.end(), is_once_each));
    CHECK(std::accumulate(strayed.begin(), strayed.end(), 0) == 0);
  }
}

TEST(shared_threads_work_on_after_an_exception_and_after_a_cancelled_run) {
  Threads threads(4);
  for (size_t thrower = 0; thrower < 30; ++thrower) {
    bool caught = false, cancelled = false;
    try {
      Run run(threads);
      run.for_each_block(30, 1, [&](size_t first, size_t, size_t) {
        rest();
        if (first == thrower) throw std::bad_alloc();
      });
    } catch (const std::bad_alloc&) {
      caught = true;
    }
    try {
      Run run(threads, [](const char*, double) { return false; });
      run.for_each_block(8, 1, [&](size_t, size_t, size_t) {
        for (;;) run.poll();
      });
    } catch (const Cancelled&) {
      cancelled = true;
    }
    CHECK(caught && cancelled);
    Run run(threads);
    CHECK(is_once_each(seen_by(run, 1000, 10)));
  }
}

TEST(a_run_within_a_block_is_left_when_the_outer_run_is_cancelled) {
  Run outer(3, [](const char*, double) { return false; });
  bool cancelled = false;
  try {
    outer.for_each_block(3, 1, [&](size_t, size_t, size_t) {
      if (!Threads::is_helping()) return rest();  // the caller's report cancels meanwhile
      Run inner(2);
      inner.for_each_block(4, 1, [&](size_t, size_t, size_t) {
        for (;;) inner.poll();
      });
    });
  } catch (const Cancelled&) {
    cancelled = true;
  }
  CHECK(cancelled);
}

TEST(threads_that_never_work_or_have_just_worked_end_at_once) {
  for (unsigned k = 0; k < 200; ++k) {
    Threads threads(1 + k % 6);
    if (k % 2 == 0) continue;
    Run run(threads);
    CHECK(is_once_each(seen_by(run, 10, 1)));
  }
}
