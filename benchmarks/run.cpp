// Measures the cost of a small parallel loop: microseconds per loop, wall time and CPU time of all threads, for loops
// within one Run and for one Run per loop.
//
//   g++ -std=c++20 -O2 -pthread -Icore/include -Icore/src benchmarks/run.cpp core/src/base/{run,threads}.cpp -o run
#include "hitbox/run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <vector>

using namespace hitbox;

namespace {

constexpr int kLoops = 1000, kRepeats = 7;

// Work of `microseconds` in eight blocks.
class Loop {
 public:
  explicit Loop(double microseconds) : steps_(static_cast<size_t>(microseconds * kStepsPerMicrosecond)) {}
  void operator()(Run& run) {
    run.for_each_block(8, 1, [&](size_t first, size_t, size_t) {
      double x = static_cast<double>(first);
      for (size_t k = 0; k < steps_ / 8; ++k) x = x * 0.999 + 1;
      slots_[8 * first] = x;
    });
  }

 private:
  static constexpr double kStepsPerMicrosecond = 400;
  size_t steps_;
  std::vector<double> slots_ = std::vector<double>(64);
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Body>
void measure(const char* name, unsigned threads, double microseconds, Body&& body) {
  std::vector<double> wall, cpu;
  for (int k = 0; k < kRepeats; ++k) {
    const double cpu_before = cpu_seconds();
    const auto before = std::chrono::steady_clock::now();
    body();
    wall.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count() / kLoops * 1e6);
    cpu.push_back((cpu_seconds() - cpu_before) / kLoops * 1e6);
  }
  std::sort(wall.begin(), wall.end());
  std::sort(cpu.begin(), cpu.end());
  std::printf("%-16s %u threads, work of %4.0f us: %7.2f us, CPU %7.2f us\n", name, threads, microseconds,
              wall[kRepeats / 2], cpu[kRepeats / 2]);
}

}  // namespace

int main() {
  for (const double microseconds : {0.0, 10.0, 100.0, 1000.0}) {
    Loop loop(microseconds);
    for (const unsigned threads : {1u, 2u, 4u}) {
      measure("one Run", threads, microseconds, [&] {
        Run run(threads);
        for (int k = 0; k < kLoops; ++k) loop(run);
      });
      measure("Run a loop", threads, microseconds, [&] {
        for (int k = 0; k < kLoops; ++k) {
          Run run(threads);
          loop(run);
        }
      });
#ifndef BEFORE
      measure("shared Threads", threads, microseconds, [&] {
        Threads shared(threads);
        for (int k = 0; k < kLoops; ++k) {
          Run run(shared);
          loop(run);
        }
      });
#endif
    }
  }
}
