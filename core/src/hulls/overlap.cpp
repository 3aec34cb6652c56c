#include "hulls/overlap.hpp"

#include <algorithm>

#include "bvh/bvh.hpp"
#include "hulls/convex_body.hpp"
#include "hulls/open_space.hpp"

namespace hitbox::internal::hulls {

namespace {

constexpr double kTouching = 1e-9;  // fraction of the radius: touching a sphere is allowed

// The spheres and centres that one shape enters.
struct Entered {
  std::vector<uint32_t> spheres;
  size_t between = 0;
  double deepest = 0;
};

class Measuring {
 public:
  Measuring(const NavigableSpace& space, std::span<const Shape> shapes, Run& run)
      : space_(space), unit_(bounds_of(space, shapes)) {
    if (!space.spheres.empty()) tree_.emplace(boxes_of(space, unit_), run);
  }

  Entered entered_by(const Shape& shape) const {
    const ConvexBody body(transformed(shape, unit_.to_unit()));
    Entered entered;
    const auto ask = [&](uint32_t k) {
      const Sphere s = transformed(space_.spheres[k], unit_.to_unit());
      const double distance = body.distance(s.center);
      if (distance >= s.radius * (1 - kTouching)) return;
      entered.spheres.push_back(k);
      entered.deepest = std::max(entered.deepest, 1 - distance / s.radius);
    };
    if (tree_) tree_->overlaps(body.box, ask);
    if (space_.proof && entered.spheres.empty()) add_between(body, shape, entered);
    return entered;
  }

 private:
  static Bounds bounds_of(const NavigableSpace& space, std::span<const Shape> shapes) {
    Bounds all;
    for (const Sphere& s : space.spheres) all.add(bounds(s));
    if (space.spheres.empty())
      for (const Shape& shape : shapes) all.add(bounds(shape));
    return all;
  }
  static std::vector<Bounds> boxes_of(const NavigableSpace& space, const UnitBox& unit) {
    std::vector<Bounds> boxes;
    for (const Sphere& s : space.spheres) boxes.push_back(bounds(transformed(s, unit.to_unit())));
    return boxes;
  }
  void add_between(const ConvexBody& body, const Shape& shape, Entered& entered) const {
    constexpr size_t kMost = 1000;
    for (const Sphere& found : space_.proof->entered_balls(shape, kMost)) {
      const Sphere s = transformed(found, unit_.to_unit());
      ++entered.between;
      entered.deepest = std::max(entered.deepest, 1 - body.distance(s.center) / s.radius);
    }
  }

  const NavigableSpace& space_;
  UnitBox unit_;
  std::optional<BoxBvh> tree_;  // over the spheres
};

}  // namespace

Overlap measured_overlap(const NavigableSpace& space, std::span<const Shape> shapes, Run& run) {
  Overlap overlap;
  overlap.is_proved = space.proof != nullptr;
  overlap.enters.resize(shapes.size());
  if (shapes.empty() || (space.spheres.empty() && !space.proof)) return overlap;
  const Measuring measuring(space, shapes, run);
  std::vector<Entered> found(shapes.size());
  run.for_each_block(shapes.size(), 1, [&](size_t k, size_t, size_t) {
    run.poll();
    found[k] = measuring.entered_by(shapes[k]);
  });
  std::vector<bool> is_entered(space.spheres.size());
  for (size_t k = 0; k < found.size(); ++k) {
    for (const uint32_t s : found[k].spheres) is_entered[s] = true;
    overlap.entered += found[k].between;
    overlap.deepest = std::max(overlap.deepest, found[k].deepest);
    overlap.enters[k] = !found[k].spheres.empty() || found[k].between > 0;
  }
  overlap.entered += static_cast<size_t>(std::ranges::count(is_entered, true));
  return overlap;
}

}  // namespace hitbox::internal::hulls
