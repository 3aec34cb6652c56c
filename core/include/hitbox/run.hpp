// The context of a long call: its threads, its progress reports, and its cancellation.
//
// One Run lives for one call. Its own threads start with its first parallel loop and end with it. Calls of a few
// milliseconds share a `Threads` instead, so that their Runs start no thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "hitbox/threads.hpp"

namespace hitbox {

class Run {
 public:
  // `report` receives the stage's name and the fraction done, at most every 50 ms, on the calling thread. It returns
  // false to cancel.
  using Report = std::function<bool(const char* stage, double fraction)>;

  explicit Run(unsigned threads = 0, Report report = {});
  // Uses threads that outlive this Run. Several Runs may share them at the same time: a Run that finds them busy works
  // alone.
  explicit Run(Threads& threads, Report report = {});
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Call this every few thousand steps, also in blocks. It throws Cancelled. On a helping thread it also throws to
  // leave a block that no caller waits for any more.
  void poll() {
    if (Threads::is_helping()) {
      Threads::leave_if_stopped();
    } else if (report_ && std::chrono::steady_clock::now() >= next_report_) {
      report_now();
    }
  }
  void enter(const char* stage, double from, double to);  // `from` and `to` are fractions of the whole
  void advance(double fraction_of_stage) {
    fraction_ = from_ + (to_ - from_) * fraction_of_stage;
    poll();
  }

  // While it lives, the stages of a nested method cover only this fraction of the outer progress.
  class Stretch {
   public:
    Stretch(Run& run, double from, double to) : run_(run), from_(run.whole_from_), to_(run.whole_to_) {
      run.whole_from_ = from_ + (to_ - from_) * from;
      run.whole_to_ = from_ + (to_ - from_) * to;
    }
    ~Stretch() {
      run_.whole_from_ = from_;
      run_.whole_to_ = to_;
    }
    Stretch(const Stretch&) = delete;
    Stretch& operator=(const Stretch&) = delete;

   private:
    Run& run_;
    double from_, to_;
  };

  // Calls body(first, last, block) for all blocks of `block_size` indices below `count`. Any thread may run a block, so
  // a body writes only to its own slots. The results are then the same for any number of threads. A body may call this
  // too: the inner blocks run on its own thread.
  template <class Body>
  void for_each_block(size_t count, size_t block_size, Body&& body) {
    const size_t blocks = (count + block_size - 1) / block_size;
    auto work = [&](size_t block) {
      const size_t first = block * block_size;
      body(first, first + block_size < count ? first + block_size : count, block);
    };
    auto ask = [this] { poll(); };
    threads_->share(blocks, Call<size_t>(work), Call<>(ask));
  }

 private:
  void report_now();

  std::unique_ptr<Threads> own_threads_;  // null if they are borrowed
  Threads* threads_;
  Report report_;
  const char* stage_ = "";
  double whole_from_ = 0, whole_to_ = 1;
  double from_ = 0, to_ = 1, fraction_ = 0;
  std::chrono::steady_clock::time_point next_report_;
};

}  // namespace hitbox
