#include "base/run.hpp"

#include <system_error>

namespace hitbox {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kReportEvery{50};

Run::Run(unsigned threads, Report report)
    : threads_(threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency())),
      report_(std::move(report)),
      next_report_(steady_clock::now()) {}  // asks at the first stage: it may be stopped already

Run::~Run() {
  {
    std::lock_guard lock(mutex_);
    quit_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Run::enter(const char* stage, double from, double to) {
  stage_ = stage;
  from_ = whole_from_ + (whole_to_ - whole_from_) * from;
  to_ = whole_from_ + (whole_to_ - whole_from_) * to;
  advance(0);
}

void Run::report_now() {
  const bool go_on = report_(stage_, fraction_);
  next_report_ = steady_clock::now() + kReportEvery;
  if (!go_on) throw Cancelled{};
}

// The caller takes blocks like any worker, and is the only one that reports. When something stops it
// the others finish the block they have, or leave it where they poll; only then may the caller unwind
// what the blocks refer to.
void Run::share(size_t blocks, const std::function<void(size_t)>& work) {
  if (threads_ <= 1 || blocks <= 1) {
    for (size_t block = 0; block < blocks; ++block) {
      work(block);
      poll();
    }
    return;
  }
  if (workers_.empty()) start_workers();
  {
    std::lock_guard lock(mutex_);
    work_ = &work;
    blocks_ = blocks;
    next_block_ = 0;
    stop_blocks_ = false;
    stopped_by_ = nullptr;
    busy_ = static_cast<unsigned>(workers_.size());
    ++generation_;
  }
  wake_.notify_all();
  stop_on_exception([&] { take_blocks(true); });
  std::unique_lock lock(mutex_);
  while (!done_.wait_for(lock, kReportEvery, [&] { return busy_ == 0; })) {
    lock.unlock();
    if (!stop_blocks_) stop_on_exception([&] { poll(); });
    lock.lock();
  }
  work_ = nullptr;
  if (stopped_by_) std::rethrow_exception(stopped_by_);
}

// Keeps the first exception for the caller: none may leave a worker.
template <class Body>
void Run::stop_on_exception(Body&& body) {
  try {
    body();
  } catch (...) {
    std::lock_guard lock(mutex_);
    if (!stopped_by_) stopped_by_ = std::current_exception();
    stop_blocks_ = true;
  }
}

void Run::start_workers() {
  for (unsigned k = 1; k < threads_; ++k) {
    try {
      workers_.emplace_back([this] { work_until_stopped(); });
    } catch (const std::system_error&) {
      break;  // the system gives no more: those that run are enough
    }
  }
}

void Run::work_until_stopped() {
  employer_ = this;
  size_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return quit_ || generation_ != seen; });
    if (quit_) return;
    seen = generation_;
    lock.unlock();
    stop_on_exception([&] { take_blocks(false); });
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

void Run::take_blocks(bool polls) {
  while (!stop_blocks_.load(std::memory_order_relaxed)) {
    const size_t block = next_block_.fetch_add(1, std::memory_order_relaxed);
    if (block >= blocks_) return;
    (*work_)(block);
    if (polls) poll();
  }
}

}  // namespace hitbox
