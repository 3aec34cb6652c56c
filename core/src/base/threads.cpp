#include "hitbox/threads.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace hitbox {

constexpr std::chrono::milliseconds kPollEvery{50};

// One call of `share`. It lives on the caller's stack, so the caller returns only after its last helper has finished.
struct Threads::Job {
  const size_t blocks;
  const Call<size_t> work;
  std::atomic<size_t> next{0};
  std::atomic<bool> stop{false};
  // Guarded by Pool::mutex.
  unsigned helpers = 0;
  std::exception_ptr stopped_by = nullptr;

  template <class After>
  void take_blocks(After&& after) {
    while (!stop.load(std::memory_order_relaxed)) {
      const size_t block = next.fetch_add(1, std::memory_order_relaxed);
      if (block >= blocks) return;
      work(block);
      after();
    }
  }
};

struct Threads::Pool {
  std::mutex mutex;
  std::condition_variable wake, done;
  Job* job = nullptr;
  size_t job_number = 0;  // distinguishes a new job from one that a thread has already helped with
  bool quit = false;
  std::vector<std::thread> threads;

  explicit Pool(unsigned count) {
    threads.reserve(count);
    for (unsigned k = 0; k < count; ++k) {
      try {
        threads.emplace_back([this] { help_until_quit(); });
      } catch (const std::system_error&) {
        break;  // the system allows no more threads; the running ones are enough
      }
    }
  }

  ~Pool() {
    {
      std::lock_guard lock(mutex);
      quit = true;
    }
    wake.notify_all();
    for (std::thread& thread : threads) thread.join();
  }

  void help_until_quit() {
    size_t last = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [&] { return quit || (job && job_number != last); });
      if (quit) return;
      last = job_number;
      Job& mine = *job;
      ++mine.helpers;
      lock.unlock();
      stopped_ = &mine.stop;
      keep_exception(mine, [&] { mine.take_blocks([] {}); });
      stopped_ = nullptr;
      lock.lock();
      if (--mine.helpers == 0) done.notify_one();
    }
  }

  // Keeps the first exception for the caller, because no exception may leave a helping thread.
  template <class Body>
  void keep_exception(Job& of, Body&& body) {
    try {
      body();
    } catch (...) {
      std::lock_guard lock(mutex);
      if (!of.stopped_by) of.stopped_by = std::current_exception();
      of.stop = true;
    }
  }
};

Threads::Threads(unsigned count) : count_(count > 0 ? count : std::max(1u, std::thread::hardware_concurrency())) {}

Threads::~Threads() = default;

void Threads::share(size_t blocks, Call<size_t> work, Call<> poll) {
  if (count_ <= 1 || blocks <= 1 || is_busy_.exchange(true, std::memory_order_acquire)) {
    for (size_t block = 0; block < blocks; ++block) {
      work(block);
      poll();
    }
    return;
  }
  struct Free {
    std::atomic<bool>& is_busy;
    ~Free() { is_busy.store(false, std::memory_order_release); }
  } free{is_busy_};
  Job job{blocks, work};
  share_with_helpers(job, poll);
}

// The caller takes blocks like any other thread, and is the only one that polls. Threads that wake up after the blocks
// have run out find no job. The others finish their block, or leave it when they poll. Only then may the caller unwind
// the data that the blocks refer to.
void Threads::share_with_helpers(Job& job, Call<> poll) {
  if (!pool_) pool_ = std::make_unique<Pool>(count_ - 1);
  Pool& pool = *pool_;
  {
    std::lock_guard lock(pool.mutex);
    pool.job = &job;
    ++pool.job_number;
  }
  if (job.blocks > pool.threads.size()) {
    pool.wake.notify_all();
  } else {
    for (size_t k = 1; k < job.blocks; ++k) pool.wake.notify_one();
  }
  pool.keep_exception(job, [&] { job.take_blocks([&] { poll(); }); });
  std::unique_lock lock(pool.mutex);
  pool.job = nullptr;
  while (!pool.done.wait_for(lock, kPollEvery, [&] { return job.helpers == 0; })) {
    lock.unlock();
    if (!job.stop) pool.keep_exception(job, [&] { poll(); });
    lock.lock();
  }
  if (job.stopped_by) std::rethrow_exception(job.stopped_by);
}

}  // namespace hitbox
