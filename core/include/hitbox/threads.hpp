// Threads that wait for work. The core starts threads only here.
//
// They start when work first needs them and sleep in between. The destructor joins them. A Run has its own threads,
// which end with it, or borrows a `Threads` that outlives it, so that many short calls start no thread.
//
// Always holds: each block is called once unless one throws. No thread works on a block when `share` returns.
// Cost: a call that needs no help waits for no thread. Waking a thread takes a few microseconds.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

namespace hitbox {

// Thrown to leave all loops after the user cancels. It is the only exception in the core, because no code in between
// has to handle it.
struct Cancelled {};

// A reference to a callable that outlives the call it is passed to. It needs no allocation and no copy.
template <class... Arguments>
class Call {
 public:
  template <class Body>
  explicit Call(Body& body) : body_(&body), call_([](void* b, Arguments... a) { (*static_cast<Body*>(b))(a...); }) {}
  void operator()(Arguments... arguments) const { call_(body_, arguments...); }

 private:
  void* body_;
  void (*call_)(void*, Arguments...);
};

class Threads {
 public:
  explicit Threads(unsigned count = 0);  // 0: one per processor, including the calling thread
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  unsigned count() const { return count_; }

  // Calls work(block) for each block below `blocks`, on this thread and on threads that wake up in time. This thread
  // calls poll() after each of its own blocks, and while it waits for others. The first exception of either, on any
  // thread, stops the rest and is thrown from here. A thread that already works for these Threads, or finds them busy
  // for another caller, runs all blocks itself.
  void share(size_t blocks, Call<size_t> work, Call<> poll);

  // True on a thread that helps another thread's call.
  static bool is_helping() { return stopped_ != nullptr; }
  // On such a thread, throws Cancelled if no caller waits for its block any more.
  static void leave_if_stopped() {
    if (stopped_->load(std::memory_order_relaxed)) throw Cancelled{};
  }

 private:
  struct Job;
  struct Pool;
  void share_with_helpers(Job& job, Call<> poll);

  static inline constinit thread_local const std::atomic<bool>* stopped_ = nullptr;

  unsigned count_;
  std::atomic<bool> is_busy_{false};
  std::unique_ptr<Pool> pool_;  // null until the first work
};

}  // namespace hitbox
