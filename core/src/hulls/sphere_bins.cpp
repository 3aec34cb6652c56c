#include "hulls/sphere_bins.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hitbox::internal::hulls {

SphereBins::SphereBins(std::vector<Sphere> spheres) {
  Bounds centers;
  double largest = 0;
  for (const Sphere& s : spheres) {
    centers.add(s.center);
    largest = std::max(largest, s.radius);
  }
  constexpr double kAlong = 48;  // the most bins along an axis
  const double side = std::max(max_component(centers.size()) / kAlong, largest * 0.25);
  const auto bin_of = [&](const Sphere& s) {
    const Vec3 at = (s.center - centers.low) / std::max(side, 1e-300);
    return (static_cast<uint64_t>(at.z) << 32) + (static_cast<uint64_t>(at.y) << 16) + static_cast<uint64_t>(at.x);
  };
  std::vector<uint32_t> order(spheres.size());
  std::iota(order.begin(), order.end(), 0u);
  std::vector<uint64_t> keys(spheres.size());
  for (size_t k = 0; k < spheres.size(); ++k) keys[k] = bin_of(spheres[k]);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
  for (size_t first = 0, last = 0; first < order.size(); first = last) {
    Bin bin{static_cast<uint32_t>(first), 0, {}, 0, {}};
    Bounds in_bin;
    for (; last < order.size() && keys[order[last]] == keys[order[first]]; ++last) {
      const Sphere& s = spheres[order[last]];
      spheres_.push_back(s);
      in_bin.add(s.center);
      bin.box.add(s.center - Vec3{s.radius, s.radius, s.radius});
      bin.box.add(s.center + Vec3{s.radius, s.radius, s.radius});
    }
    bin.count = static_cast<uint32_t>(last - first);
    bin.center = in_bin.center();
    for (size_t k = first; k < last; ++k)
      bin.reach = std::max(bin.reach, norm(spheres_[k].center - bin.center) + spheres_[k].radius);
    bins_.push_back(bin);
  }
  constexpr uint32_t kOneOf = 16;
  for (uint32_t k = 0; k < spheres_.size(); k += kOneOf) some_.push_back(k);
}

template <class Visit>
void SphereBins::each_near(const PartHull& hull, Visit&& visit) const {
  size_t last_bin = 0, last = 0;
  for (const Bin& bin : bins_) {
    if (distance_sq(hull.box, bin.box) > 0) continue;
    if (!hull.is_within(bin.center, bin.reach, last_bin)) continue;
    for (uint32_t k = bin.first; k < bin.first + bin.count; ++k)
      if (hull.is_within(spheres_[k].center, spheres_[k].radius - kTouching, last) && !visit(k)) return;
  }
}

bool SphereBins::is_refused_again(const PartHull& hull) const {
  size_t last = 0;
  for (size_t k = 0; k < std::min(refused_, kRemembered); ++k) {
    const Sphere& s = spheres_[refusers_[k]];
    if (hull.is_within(s.center, s.radius - kTouching, last)) return true;
  }
  return false;
}

bool SphereBins::is_seen_entered_by(const PartHull& hull) const {
  if (is_refused_again(hull)) return true;
  size_t last = 0;
  for (const uint32_t k : some_)
    if (hull.is_within(spheres_[k].center, spheres_[k].radius - kTouching, last)) {
      remember(k);
      return true;
    }
  return false;
}

bool SphereBins::entered_by(PartHull& hull) const {
  if (is_refused_again(hull)) return true;
  hull.plant();
  bool entered = false;
  each_near(hull, [&](uint32_t k) {
    entered = true;
    remember(k);
    return false;
  });
  return entered;
}

}  // namespace hitbox::internal::hulls
