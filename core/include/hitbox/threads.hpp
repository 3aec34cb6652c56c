// Threads that wait for work: the one place in the core that starts any.
//
// They start when work first needs them, sleep in between, and are joined by the destructor. A Run has threads of
// its own, which end with it, or borrows a `Threads` that outlives it: many short calls then start none.
//
// Always holds: each block is called once, unless one throws; no thread still works on a block when `share` returns.
// Cost: a call that needs no help waits for no thread. Waking one takes some microseconds.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

namespace hitbox {

// Thrown to leave all loops once the user has asked to stop. The one exception in the core: no code in between has
// anything to add.
struct Cancelled {};

// A callable that outlives the call it is passed to: no allocation, no copy.
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
  explicit Threads(unsigned count = 0);  // 0: one per processor. The thread that calls is one of them.
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  unsigned count() const { return count_; }

  // Calls work(block) for each block below `blocks`, on this thread and on those that wake up in time. After each of
  // its own blocks, and while it waits for others, this thread calls poll(). The first exception of either, on any
  // thread, stops the rest and leaves from here. A thread that is already at work for these Threads, or finds them
  // busy for another caller, does all blocks itself.
  void share(size_t blocks, Call<size_t> work, Call<> poll);

  // True on a thread that helps another one's call.
  static bool is_helping() { return stopped_ != nullptr; }
  // On such a thread: throws Cancelled when nobody waits for its block any more.
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
  std::unique_ptr<Pool> pool_;  // null until work needs it
};

}  // namespace hitbox
