#include "hulls/part_hull.hpp"

#include <algorithm>
#include <cmath>

#include "base/mat3.hpp"
#include "base/random.hpp"
#include "geometry/convex_hull.hpp"
#include "geometry/eigen3.hpp"
#include "geometry/triangle.hpp"
#include "hitbox/rotation.hpp"

namespace hitbox::internal::hulls {

namespace {

constexpr double kNoPlane = Bounds::kInfinity;
constexpr double kInPlane = 1e-7;  // for a hull of size 1: facets whose planes contain a point may be the nearest

double volume_of(const TriangleMesh& mesh) {
  if (mesh.vertices.empty()) return 0;
  const Vec3 origin = mesh.vertices[0];
  double six = 0;
  for (const auto& [a, b, c] : mesh.triangles)
    six += dot(mesh.vertices[a] - origin, cross(mesh.vertices[b] - origin, mesh.vertices[c] - origin));
  return six / 6;
}

// Empty if the triangle is so narrow that rounding rotates its normal by more than a millionth of a degree.
HalfSpace plane_of(const Vec3& a, const Vec3& b, const Vec3& c, double size) {
  const Vec3 normal = cross(b - a, c - a);
  const double longest = std::sqrt(std::max({norm_sq(b - a), norm_sq(c - b), norm_sq(a - c)}));
  const double area = norm(normal);
  if (!(area > 1e-7 * size * longest)) return {{0, 0, 0}, kNoPlane};
  const Vec3 unit = normal / area;
  return {unit, std::max({dot(unit, a), dot(unit, b), dot(unit, c)})};
}

bool any_within(const TriangleBvh& tree, const Vec3& p, double reach_sq) {
  bool found = false;
  tree.tree().nearest_first(
      [&](const Bvh::Node& node, double out[4]) {
        child_distances_sq(node, Bounds{p, p}, out);
      },
      [&] { return found ? -1.0 : reach_sq; },
      [&](uint32_t first, uint32_t count) {
        for (uint32_t at = first; at < first + count && !found; ++at) {
          const auto& [a, b, c] = tree.corners_at(at);
          found = norm_sq(p - closest_point_on_triangle(p, a, b, c)) < reach_sq;
        }
      });
  return found;
}

Frame principal_axes(std::span<const Vec3> points) {
  Vec3 middle;
  for (const Vec3& p : points) middle += p / static_cast<double>(points.size());
  Sym3 spread;
  for (const Vec3& p : points) spread = spread + Sym3::outer(p - middle, 1);
  return eigen3(spread).vectors;
}

// Thickens the points on both sides along every axis in which they have hardly any extent.
std::vector<Vec3> thickened(std::vector<Vec3> points, double thickness) {
  const Frame axes = principal_axes(points);
  for (const Vec3& axis : axes.axis) {
    double low = Bounds::kInfinity, high = -Bounds::kInfinity;
    for (const Vec3& p : points) {
      low = std::min(low, dot(axis, p));
      high = std::max(high, dot(axis, p));
    }
    if (high - low >= thickness) continue;
    const size_t count = points.size();
    for (size_t k = 0; k < count; ++k) {
      points.push_back(points[k] - axis * thickness);
      points[k] += axis * thickness;
    }
  }
  return points;
}

}  // namespace

PartHull part_hull(std::span<const Vec3> points, double thickness) {
  ConvexHull found = convex_hull(points).value();
  const std::vector<Vec3> thick = thickened(found.mesh.vertices, thickness);
  if (thick.size() > found.mesh.vertices.size()) found = convex_hull(thick).value();
  PartHull hull{std::move(found.mesh), {}, {}, 0, {}};
  hull.box = bounds_of(hull.mesh.vertices);
  hull.volume = volume_of(hull.mesh);
  const double size = max_component(hull.box.size());
  hull.planes.reserve(hull.mesh.triangles.size());
  for (const auto& [a, b, c] : hull.mesh.triangles)
    hull.planes.push_back(plane_of(hull.mesh.vertices[a], hull.mesh.vertices[b], hull.mesh.vertices[c], size));
  return hull;
}

double hull_volume(std::span<const Vec3> points) {
  if (points.size() < 4) return 0;
  constexpr double kMoved = 1e-7;
  Random random(points.size());
  std::vector<Vec3> moved(points.begin(), points.end());
  for (Vec3& p : moved) p += Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)} * kMoved;
  return convex_hull_volume(moved);
}

void PartHull::plant() {
  constexpr size_t kMany = 48;
  if (tree || mesh.triangles.size() < kMany) return;
  Run alone(1);
  tree = std::make_shared<TriangleBvh>(mesh.vertices, mesh.triangles, alone);
}

double PartHull::above(const Vec3& p) const {
  double most = -Bounds::kInfinity;
  for (const HalfSpace& plane : planes) most = std::max(most, plane.above(p));
  return most;
}

Vec3 PartHull::nearest(const Vec3& p) const {
  if (std::none_of(planes.begin(), planes.end(), [&](const HalfSpace& plane) { return plane.above(p) > 0; })) return p;
  if (tree) return tree->closest(p).point;
  double least_sq = Bounds::kInfinity;
  Vec3 best = p;
  for (size_t t = 0; t < planes.size(); ++t) {
    if (planes[t].above(p) <= -kInPlane && planes[t].offset != kNoPlane) continue;
    const auto& [a, b, c] = mesh.triangles[t];
    const Vec3 q = closest_point_on_triangle(p, mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]);
    if (norm_sq(p - q) < least_sq) {
      least_sq = norm_sq(p - q);
      best = q;
    }
  }
  return best;
}

bool PartHull::is_within(const Vec3& p, double reach, size_t& last) const {
  if (distance_sq(box, p) >= reach * reach) return false;
  if (last < planes.size() && planes[last].above(p) >= reach) return false;
  if (tree) {
    if (any_within(*tree, p, reach * reach)) return true;
    // The point is separated, or further below all facets than the reach, which is rare.
    bool is_outside = false;
    for (size_t t = 0; t < planes.size(); ++t) {
      const double found = planes[t].above(p);
      is_outside = is_outside || found > 0;
      if (found < reach) continue;
      last = t;
      break;
    }
    return !is_outside;
  }
  double most = -Bounds::kInfinity;
  for (size_t t = 0; t < planes.size(); ++t) {
    const double found = planes[t].above(p);
    if (found >= reach) {
      last = t;
      return false;
    }
    most = std::max(most, found);
  }
  if (most <= 0) return true;
  for (size_t t = 0; t < planes.size(); ++t) {
    if (planes[t].above(p) <= -kInPlane && planes[t].offset != kNoPlane) continue;
    const auto& [a, b, c] = mesh.triangles[t];
    const Vec3 q = closest_point_on_triangle(p, mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]);
    if (norm_sq(p - q) < reach * reach) return true;
  }
  return false;
}

std::vector<Vec3> outermost(std::span<const Vec3> points, size_t count) {
  if (points.size() <= count) return {points.begin(), points.end()};
  std::vector<uint8_t> is_chosen(points.size());
  const double golden = 2.399963229728653;  // radians: a spiral on the sphere
  for (size_t k = 0; k < count; ++k) {
    const double z = 1 - (2 * static_cast<double>(k) + 1) / static_cast<double>(count);
    const double around = golden * static_cast<double>(k), radius = std::sqrt(1 - z * z);
    const Vec3 direction{radius * std::cos(around), radius * std::sin(around), z};
    size_t best = 0;
    double furthest = -Bounds::kInfinity;
    for (size_t p = 0; p < points.size(); ++p) {
      const double along = dot(direction, points[p]);
      if (along > furthest) {
        furthest = along;
        best = p;
      }
    }
    is_chosen[best] = 1;
  }
  std::vector<Vec3> chosen;
  for (size_t p = 0; p < points.size(); ++p)
    if (is_chosen[p] != 0) chosen.push_back(points[p]);
  return chosen;
}

}  // namespace hitbox::internal::hulls
