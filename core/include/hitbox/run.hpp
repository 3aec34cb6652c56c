// What a long call carries besides its input: which threads work for it, how it reports, how it is stopped.
//
// One Run lives for one call. Threads of its own start with its first parallel loop and end with it. Calls of a few
// milliseconds each share a `Threads` instead: their Runs start no thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "hitbox/threads.hpp"

namespace hitbox {

class Run {
 public:
  // `report` gets the stage's name and the fraction done, at most every 50 ms, on the thread that
  // made the call; it returns false to stop.
  using Report = std::function<bool(const char* stage, double fraction)>;

  explicit Run(unsigned threads = 0, Report report = {});
  // With threads that outlive this Run. Runs may share them at the same time: one that finds them busy works alone.
  explicit Run(Threads& threads, Report report = {});
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Call every few thousand steps, in blocks too. Throws Cancelled; on a helping thread, to leave a block that nobody
  // waits for any more.
  void poll() {
    if (Threads::is_helping()) {
      Threads::leave_if_stopped();
    } else if (report_ && std::chrono::steady_clock::now() >= next_report_) {
      report_now();
    }
  }
  void enter(const char* stage, double from, double to);  // `from`, `to`: share of the whole
  void advance(double fraction_of_stage) {
    fraction_ = from_ + (to_ - from_) * fraction_of_stage;
    poll();
  }

  // While it lives, the whole of which stages are shares is this share of the whole around it: a method
  // that another one calls then goes on where that one is.
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

  // Calls body(first, last, block) for all blocks of `block_size` indices below `count`. Which thread runs a block is
  // open, so a body writes only to its own slots: results then are the same for any number of threads. A body may
  // call this too: the inner blocks run on its own thread.
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

  std::unique_ptr<Threads> own_threads_;  // null where they are borrowed
  Threads* threads_;
  Report report_;
  const char* stage_ = "";
  double whole_from_ = 0, whole_to_ = 1;
  double from_ = 0, to_ = 1, fraction_ = 0;
  std::chrono::steady_clock::time_point next_report_;
};

}  // namespace hitbox
