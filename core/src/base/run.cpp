#include "hitbox/run.hpp"

#include <utility>

namespace hitbox {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kReportEvery{50};

// A Run polls at its first stage, because it may already be cancelled.
Run::Run(unsigned threads, Report report)
    : own_threads_(std::make_unique<Threads>(threads)),
      threads_(own_threads_.get()),
      report_(std::move(report)),
      next_report_(steady_clock::now()) {}

Run::Run(Threads& threads, Report report)
    : threads_(&threads), report_(std::move(report)), next_report_(steady_clock::now()) {}

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

}  // namespace hitbox
