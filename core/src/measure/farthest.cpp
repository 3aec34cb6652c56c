#include "measure/farthest.hpp"

#include <algorithm>

#include "geometry/triangle.hpp"
#include "measure/patches.hpp"

namespace hitbox::internal::measure {

namespace {

constexpr double kRounding = 1e-9;  // fraction of the total size, as in certify

}  // namespace

struct OuterDistance::Open {
  Patch patch;
  uint32_t nearest;  // nearest triangle, initially its parent's
  double high;       // upper bound, initially its parent's

  friend bool operator<(const Open& a, const Open& b) { return a.high < b.high; }
};

class OuterDistance::Search {
 public:
  Search(const OuterDistance& mesh, const Shape& shape, const FarthestGoal& goal)
      : mesh_(mesh), surfaces_({&shape, 1}), goal_(goal) {
    for (const Patch& patch : surfaces_.patches()) look_at({patch, Bvh::kNone, Bounds::kInfinity});
  }

  Interval answer(Run& run) {
    size_t looked_at = 0;
    while (!is_answered() && looked_at < goal_.budget) {
      run.poll();
      std::pop_heap(open_.begin(), open_.end());
      const Open whole = open_.back();
      open_.pop_back();
      for (const Patch& half : surfaces_.halves_of(whole.patch)) look_at({half, whole.nearest, whole.high});
      looked_at += 2;
    }
    return {low_, high()};
  }

 private:
  double high() const {
    const double open = open_.empty() ? 0 : open_.front().high;
    return std::max({low_, settled_, open});
  }
  bool is_answered() const {
    if (open_.empty() || high() > open_.front().high) return true;  // halving would change nothing
    return high() <= goal_.enough || (goal_.enough > 0 && low_ > goal_.enough) ||
           high() - low_ <= std::max(goal_.absolute, goal_.relative * high());
  }

  void look_at(Open seen) {
    const PatchHull hull = surfaces_.hull_of(seen.patch);
    const double reach = hull.reach();
    const TriangleBvh::Closest closest = mesh_.tree_.closest(hull.center, Bounds::kInfinity, seen.nearest);
    const double distance = std::sqrt(closest.distance_sq);
    double far = 0;
    for (const Vec3& p : hull.hull())
      far = std::max(far, distance_to_triangle(p, mesh_.tree_.corners(closest.triangle)));
    seen.nearest = closest.triangle;
    seen.high = std::min({seen.high, distance + reach, far});
    if (seen.high <= low_) return;
    if (seen.high <= goal_.enough) {
      settled_ = std::max(settled_, seen.high);
      return;
    }
    if (mesh_.solid_ && mesh_.solid_->contains(hull.center)) {
      seen.high = std::min(seen.high, reach - distance);
      if (!(seen.high > low_)) return;
    } else {
      low_ = std::max(low_, distance);
      seen.high = std::max(seen.high, distance);
    }
    open_.push_back(seen);
    std::push_heap(open_.begin(), open_.end());
  }

  const OuterDistance& mesh_;
  const Surfaces surfaces_;
  const FarthestGoal& goal_;
  std::vector<Open> open_;  // a heap
  double low_ = 0, settled_ = 0;
};

OuterDistance::OuterDistance(const MeshView& mesh, bool solid, Run& run) : tree_(mesh, run) {
  if (solid) solid_.emplace(tree_);
  Bounds extent = referenced_bounds(mesh);
  extent.add(Vec3{});  // coordinates far from the origin round more coarsely
  rounding_ = kRounding * extent.diagonal();
}

Interval OuterDistance::farthest(const Shape& shape, const FarthestGoal& goal, Run& run) const {
  // Both ends move out by the possible rounding, and must still be good enough then.
  const double by = rounding_ + kRounding * bounds(shape).diagonal();
  FarthestGoal within = goal;
  if (goal.enough > 0) within.enough = std::max(goal.enough - by, goal.enough / 2);
  const Interval found = Search(*this, shape, within).answer(run);
  return {std::max(0.0, found.low - by), found.high + by};
}

}  // namespace hitbox::internal::measure
