#include "shape_union.hpp"

namespace hitbox {
namespace {

constexpr double kSliver = 1e-12;  // as in shapes/hull.cpp: flatter than that a normal is noise

std::vector<Bounds> boxes_of(std::span<const Shape> shapes) {
  std::vector<Bounds> boxes;
  boxes.reserve(shapes.size());
  for (const Shape& shape : shapes) boxes.push_back(bounds(shape));
  return boxes;
}

}  // namespace

ShapeUnion::ShapeUnion(std::span<const Shape> shapes, Run& run)
    : shapes_(shapes), planes_(shapes.size()), boxes_(boxes_of(shapes), run) {
  for (size_t k = 0; k < shapes.size(); ++k)
    if (const auto* hull = std::get_if<Hull>(&shapes[k])) add_planes(*hull, planes_[k]);
}

// None for a flat hull: two planes do not say where its rim is.
void ShapeUnion::add_planes(const Hull& hull, Planes& planes) {
  const double least = kSliver * bounds_of(hull.vertices).diagonal();
  Vec3 middle;
  for (const Vec3& v : hull.vertices) middle += v / static_cast<double>(hull.vertices.size());
  planes.first = static_cast<uint32_t>(all_planes_.size());
  double inner = Bounds::kInfinity;
  for (const auto& t : hull.triangles) {
    const Vec3 &a = hull.vertices[t[0]], &b = hull.vertices[t[1]], &c = hull.vertices[t[2]];
    const Vec3 doubled = cross(b - a, c - a);
    const double base = std::sqrt(std::max({norm_sq(b - a), norm_sq(c - b), norm_sq(a - c)}));
    if (!(norm(doubled) > least * base)) continue;
    all_planes_.push_back({normalized(doubled), a});
    inner = std::min(inner, dot(all_planes_.back().normal, a - middle));
  }
  if (!(inner > least)) all_planes_.resize(planes.first);
  planes.count = static_cast<uint32_t>(all_planes_.size()) - planes.first;
}

// The signed distance inside, and never more than it outside.
double ShapeUnion::plane_distance(uint32_t shape, const Vec3& p) const {
  double most = -Bounds::kInfinity;
  const Planes& planes = planes_[shape];
  for (uint32_t k = planes.first; k < planes.first + planes.count; ++k)
    most = std::max(most, dot(all_planes_[k].normal, p - all_planes_[k].point));
  return most;
}

// Exact where it is below `limit`, else anything not below it.
double ShapeUnion::signed_distance_below(uint32_t shape, const Vec3& p, double limit) const {
  if (planes_[shape].count > 0) {
    const double planes = plane_distance(shape, p);
    if (planes <= 0 || planes >= limit) return planes;
  }
  double exact;
  signed_distance(shapes_[shape], {&p, 1}, {&exact, 1});
  return exact;
}

bool ShapeUnion::holds(uint32_t shape, const Vec3& p, double depth) const {
  if (planes_[shape].count > 0 && depth >= 0) return plane_distance(shape, p) < -depth;
  return signed_distance_below(shape, p, -depth) < -depth;
}

double ShapeUnion::distance(const Vec3& p) const {
  double best = Bounds::kInfinity;
  const Bounds box{p, p};
  boxes_.tree().nearest_first(
      [&](const Bvh::Node& node, double out[4]) { child_distances_sq(node, box, out); },
      [&] { return best > 0 ? best * best * (1 + 0x1p-40) : -1; },
      [&](uint32_t first, uint32_t count) {
        for (const uint32_t shape : boxes_.tree().order().subspan(first, count))
          best = std::min(best, signed_distance_below(shape, p, best));
      });
  return std::max(best, 0.0);
}

double ShapeUnion::farthest_of_hull(std::span<const Vec3> points, const Vec3& center) const {
  double best = Bounds::kInfinity;
  const auto try_shape = [&](uint32_t shape) {
    double most = 0;
    for (const Vec3& p : points) {
      most = std::max(most, signed_distance_below(shape, p, best));
      if (most >= best) return;
    }
    best = most;
  };
  boxes_.overlaps({center, center}, [&](uint32_t shape) {
    if (best > 0) try_shape(shape);
  });
  if (best == Bounds::kInfinity)
    for (const auto& near : boxes_.nearest_boxes({center, center}, 2, [](uint32_t) { return false; }))
      try_shape(near.item);
  return best;
}

bool ShapeUnion::contains(const Vec3& p, uint32_t skip, double depth) const {
  bool found = false;
  Bounds box{p, p};
  if (depth < 0) box.grow(-depth);
  boxes_.overlaps(box, [&](uint32_t shape) {
    found = found || (shape != skip && holds(shape, p, depth));
  });
  return found;
}

bool ShapeUnion::one_contains(std::span<const Vec3> points, uint32_t skip, double depth) const {
  const Bounds box = bounds_of(points);
  bool found = false;
  boxes_.overlaps(box, [&](uint32_t shape) {
    const Bounds& around = boxes_.boxes()[shape];
    if (found || shape == skip || !around.contains(box.low) || !around.contains(box.high)) return;
    found = std::all_of(points.begin(), points.end(),
                        [&](const Vec3& p) { return holds(shape, p, depth); });
  });
  return found;
}

}  // namespace hitbox
