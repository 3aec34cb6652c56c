#include "measure/shape_union.hpp"

#include <algorithm>

#include "geometry/triangle.hpp"

namespace hitbox::internal::measure {
namespace {

constexpr size_t kManyFacets = 256;  // with more facets a tree is faster than all planes

std::vector<Bounds> boxes_of(std::span<const Shape> shapes) {
  std::vector<Bounds> boxes;
  boxes.reserve(shapes.size());
  for (const Shape& shape : shapes) boxes.push_back(bounds(shape));
  return boxes;
}

}  // namespace

ShapeUnion::ShapeUnion(std::vector<Shape> shapes, Run& run)
    : shapes_(std::move(shapes)),
      facts_(shapes_.size()),
      facets_of_shape_(shapes_.size(), Bvh::kNone),
      boxes_(boxes_of(shapes_), run) {
  uint32_t hulls = 0;
  for (size_t k = 0; k < shapes_.size(); ++k)
    if (std::holds_alternative<Hull>(shapes_[k])) facets_of_shape_[k] = hulls++;
  facets_.resize(hulls);
  run.for_each_block(shapes_.size(), 1, [&](size_t k, size_t, size_t) {
    const auto* hull = std::get_if<Hull>(&shapes_[k]);
    const HullFacets found = hull ? facets_of(*hull) : HullFacets{};
    facts_[k] = facts_of(shapes_[k], found);
    if (hull) facets_[facets_of_shape_[k]] = asked_of(found);
  });
}

ShapeUnion::Facets ShapeUnion::asked_of(const HullFacets& found) {
  const TriangleMesh& mesh = found.mesh;
  Facets facets;
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    facets.triangles.push_back({mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]});
    if (!found.is_flat() && norm_sq(found.normals[t]) > 0)
      facets.planes.push_back({found.normals[t], mesh.vertices[a]});
  }
  if (!facets.planes.empty() && mesh.triangles.size() >= kManyFacets) {
    Run alone(1);
    facets.tree.emplace(mesh.vertices, mesh.triangles, alone);
    facets.normals = found.normals;
  }
  return facets;
}

// From inside, the nearest point of a convex surface is the foot on a facet. If that cannot be distinguished from an
// outside point near a sharp edge, all planes are tested.
double ShapeUnion::signed_distance_in_tree(const Facets& hull, const Vec3& p) {
  constexpr double kAcross = 1 - 1e-9;
  const TriangleBvh::Closest near = hull.tree->closest(p);
  const double distance = std::sqrt(near.distance_sq);
  const double side = dot(hull.normals[near.triangle], p - near.point);
  if (side >= kAcross * distance && side > 0) return distance;
  if (side <= -kAcross * distance && side < 0) return -distance;
  const bool inside =
      std::ranges::all_of(hull.planes, [&](const Plane& plane) { return dot(plane.normal, p - plane.point) < 0; });
  return inside ? -distance : distance;
}

// Exact below `limit`, otherwise any value of at least `limit`. Inside a hull the nearest plane gives the distance;
// outside, the planes give a lower bound.
double ShapeUnion::signed_distance_below(uint32_t shape, const Vec3& p, double limit) const {
  const Facets* hull = facets(shape);
  if (hull == nullptr) {
    double exact = 0;
    signed_distance(shapes_[shape], {&p, 1}, {&exact, 1});
    return exact;
  }
  if (hull->tree) return signed_distance_in_tree(*hull, p);
  if (!hull->planes.empty()) {
    double most = -Bounds::kInfinity;
    for (const Plane& plane : hull->planes) most = std::max(most, dot(plane.normal, p - plane.point));
    if (most <= 0 || most >= limit) return most;
  }
  double nearest_sq = Bounds::kInfinity;
  for (const auto& [a, b, c] : hull->triangles)
    nearest_sq = std::min(nearest_sq, norm_sq(p - closest_point_on_triangle(p, a, b, c)));
  return std::sqrt(nearest_sq);
}

bool ShapeUnion::holds(uint32_t shape, const Vec3& p, double depth) const {
  const Facets* hull = facets(shape);
  if (hull == nullptr || hull->planes.empty() || hull->tree || depth < 0)
    return signed_distance_below(shape, p, -depth) < -depth;
  return std::ranges::all_of(hull->planes,
                             [&](const Plane& plane) { return dot(plane.normal, p - plane.point) < -depth; });
}

double ShapeUnion::distance(const Vec3& p) const {
  double best = Bounds::kInfinity;
  const Bounds box{p, p};
  boxes_.tree().nearest_first([&](const Bvh::Node& node, double out[4]) { child_distances_sq(node, box, out); },
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

size_t ShapeUnion::count_around(const Vec3& p, uint32_t skip, size_t most) const {
  size_t count = 0;
  boxes_.overlaps({p, p}, [&](uint32_t shape) {
    if (count < most && shape != skip && holds(shape, p, 0)) ++count;
  });
  return count;
}

bool ShapeUnion::contains(const Vec3& p, uint32_t skip, double depth) const {
  bool found = false;
  Bounds box{p, p};
  if (depth < 0) box.grow(-depth);
  boxes_.overlaps(box, [&](uint32_t shape) { found = found || (shape != skip && holds(shape, p, depth)); });
  return found;
}

bool ShapeUnion::one_contains(std::span<const Vec3> points, uint32_t skip, double depth) const {
  const Bounds box = bounds_of(points);
  bool found = false;
  boxes_.overlaps(box, [&](uint32_t shape) {
    const Bounds& around = boxes_.boxes()[shape];
    if (found || shape == skip || !around.contains(box.low) || !around.contains(box.high)) return;
    found = std::all_of(points.begin(), points.end(), [&](const Vec3& p) { return holds(shape, p, depth); });
  });
  return found;
}

}  // namespace hitbox::internal::measure
