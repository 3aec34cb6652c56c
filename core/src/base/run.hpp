// What a long call carries besides its input: how many threads, how to report, how to be stopped.
// One Run lives for one call; its threads end with it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hitbox {

// Thrown by Run::poll on the calling thread once the user has asked to stop. The one exception
// in the core: it has to leave every loop, and nothing in between has anything to say about it.
struct Cancelled {};

class Run {
 public:
  // `report` gets the stage's name and the fraction done, at most every 50 ms, on the thread that
  // made the call; it returns false to stop.
  using Report = std::function<bool(const char* stage, double fraction)>;

  explicit Run(unsigned threads = 0, Report report = {});
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Call every few thousand steps, in blocks too. Throws Cancelled; on a worker, to leave a block that
  // nobody waits for any more.
  void poll() {
    if (employer_ == this) {
      if (stop_blocks_.load(std::memory_order_relaxed)) throw Cancelled{};
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

  // Calls body(first, last, block) for all blocks of `block_size` indices below `count`. Which
  // thread runs a block is open, so a body writes only to its own slots: results then are the
  // same for any number of threads.
  template <class Body>
  void for_each_block(size_t count, size_t block_size, Body&& body) {
    const size_t blocks = (count + block_size - 1) / block_size;
    share(blocks, [&](size_t block) {
      const size_t first = block * block_size;
      body(first, first + block_size < count ? first + block_size : count, block);
    });
  }

 private:
  void share(size_t blocks, const std::function<void(size_t)>& work);
  void start_workers();
  void work_until_stopped();
  void take_blocks(bool polls);
  template <class Body>
  void stop_on_exception(Body&& body);
  void report_now();

  static inline constinit thread_local const Run* employer_ = nullptr;  // of a worker

  unsigned threads_;
  Report report_;
  const char* stage_ = "";
  double whole_from_ = 0, whole_to_ = 1;
  double from_ = 0, to_ = 1, fraction_ = 0;
  std::chrono::steady_clock::time_point next_report_;

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(size_t)>* work_ = nullptr;
  std::atomic<size_t> next_block_{0};
  std::atomic<bool> stop_blocks_{false};
  size_t blocks_ = 0, generation_ = 0;
  unsigned busy_ = 0;
  bool quit_ = false;
  std::exception_ptr stopped_by_;
};

}  // namespace hitbox
