#include "run.hpp"

namespace hitbox {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kReportEvery{50};

Run::Run(unsigned threads, Report report)
    : threads_(threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency())),
      report_(std::move(report)),
      next_report_(steady_clock::now() + kReportEvery) {}

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
  from_ = from;
  to_ = to;
  advance(0);
}

void Run::report_now() {
  const bool go_on = report_(stage_, fraction_);
  next_report_ = steady_clock::now() + kReportEvery;
  if (!go_on) throw Cancelled{};
}

// The caller takes blocks like any worker, and is the only one that polls. When it is stopped the
// others finish the block they have; only then may the caller unwind what the blocks refer to.
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
    busy_ = static_cast<unsigned>(workers_.size());
    ++generation_;
  }
  wake_.notify_all();
  std::exception_ptr stopped;
  try {
    take_blocks(true);
  } catch (...) {
    stopped = std::current_exception();
    stop_blocks_ = true;
  }
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return busy_ == 0; });
  work_ = nullptr;
  if (stopped) std::rethrow_exception(stopped);
}

void Run::start_workers() {
  for (unsigned k = 1; k < threads_; ++k) workers_.emplace_back([this] { work_until_stopped(); });
}

void Run::work_until_stopped() {
  size_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return quit_ || generation_ != seen; });
    if (quit_) return;
    seen = generation_;
    lock.unlock();
    take_blocks(false);
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
