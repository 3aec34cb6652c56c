#include "hulls/capped_hull.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "geometry/convex_hull.hpp"
#include "geometry/eigen3.hpp"
#include "geometry/progressive_hull.hpp"
#include "hitbox/bounds.hpp"
#include "shapes/enclosing.hpp"

namespace hitbox::internal::hulls {

namespace {

struct Interval {
  double low = Bounds::kInfinity, high = -Bounds::kInfinity;

  void add(double at) {
    low = std::min(low, at);
    high = std::max(high, at);
  }
  double length() const { return high - low; }
};

Interval extent_along(const Vec3& direction, std::span<const Vec3> points) {
  Interval interval;
  for (const Vec3& p : points) interval.add(dot(direction, p));
  return interval;
}

// The normal of points in a plane, or on a line up to rounding: perpendicular to the direction in which they are
// furthest apart, and to the direction in which they are furthest from that line. A triangle's normal may be noise.
Vec3 normal_of_flat(std::span<const Vec3> points) {
  const auto furthest = [&](auto&& measure) {
    return *std::max_element(points.begin(), points.end(),
                             [&](const Vec3& p, const Vec3& q) { return measure(p) < measure(q); });
  };
  const Vec3 start = points[0];
  const Vec3 along = normalized(furthest([&](const Vec3& p) { return norm_sq(p - start); }) - start);
  const auto off = [&](const Vec3& p) { return (p - start) - along * dot(along, p - start); };
  return frame_from(along, off(furthest([&](const Vec3& p) { return norm_sq(off(p)); }))).axis[2];
}

// The normal of the facet along which the hull is thinnest.
Vec3 thin_direction(const ConvexHull& hull) {
  const std::vector<Vec3>& v = hull.mesh.vertices;
  if (hull.dimension < 3) return normal_of_flat(v);
  Vec3 thinnest;
  double least = Bounds::kInfinity;
  for (const Triangle& t : hull.mesh.triangles) {
    const Vec3 normal = normalized(cross(v[t[1]] - v[t[0]], v[t[2]] - v[t[0]]));
    Interval extent;  // on both sides of the facet, because a sliver's normal is noise
    for (size_t k = 0; k < v.size() && !(extent.length() >= least); ++k) extent.add(dot(normal, v[k]));
    if (extent.length() >= least) continue;
    least = extent.length();
    thinnest = normal;
  }
  return thinnest;
}

// The hull of the points, thickened to 2 x `thickness` along directions in which it is thinner.
ConvexHull solid_hull(std::span<const Vec3> points, double thickness) {
  constexpr double kNearly = 1 - 1e-6;  // a thickened hull counts as thick enough
  ConvexHull hull = std::move(convex_hull(points).value());
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 across = thin_direction(hull);
    const Interval extent = extent_along(across, hull.mesh.vertices);
    if (!(extent.length() < 2 * thickness * kNearly)) break;
    const double middle = extent.low * 0.5 + extent.high * 0.5;
    std::vector<Vec3> spread;
    for (const Vec3& v : hull.mesh.vertices)
      for (const double side : {-thickness, thickness}) spread.push_back(v + across * (middle + side - dot(across, v)));
    hull = std::move(convex_hull(spread).value());
  }
  return hull;
}

Hull to_hull(ConvexHull&& hull) { return {std::move(hull.mesh.vertices), std::move(hull.mesh.triangles)}; }

Hull hull_of(std::span<const Vec3> points) { return to_hull(std::move(convex_hull(points).value())); }

// Frames that may have a small bounding box: the axes, the largest triangle with the one that spans most with it, and
// the principal axes of the surface.
std::vector<Frame> likely_frames(const TriangleMesh& hull) {
  const Bounds box = bounds_of(hull.vertices);
  std::vector<Vec3> normals;  // scaled by twice the area, for a diagonal of 1
  Vec3 largest;
  Sym3 spread;
  for (const Triangle& t : hull.triangles) {
    std::array<Vec3, 3> p;
    for (size_t k = 0; k < 3; ++k) p[k] = (hull.vertices[t[k]] - box.center()) / box.diagonal();
    normals.push_back(cross(p[1] - p[0], p[2] - p[0]));
    spread = spread + Sym3::outer((p[0] + p[1] + p[2]) / 3, norm(normals.back()));
    if (norm_sq(normals.back()) > norm_sq(largest)) largest = normals.back();
  }
  const Vec3 second = *std::max_element(normals.begin(), normals.end(), [&](const Vec3& a, const Vec3& b) {
    return norm_sq(cross(largest, a)) < norm_sq(cross(largest, b));
  });
  return {Frame{}, frame_from(largest, second), eigen3(spread).vectors};
}

// A tetrahedron of three sides of the bounding box and a slanted plane: the smallest of the eight.
Hull tetrahedron_around(std::span<const Vec3> points) {
  const Bounds box = bounds_of(points);
  const Vec3 size = box.size();
  Hull best;
  for (unsigned corner = 0; corner < 8; ++corner) {
    const Vec3 from{corner & 1 ? box.high.x : box.low.x, corner & 2 ? box.high.y : box.low.y,
                    corner & 4 ? box.high.z : box.low.z};
    double reach = 0;  // reach of the slanted plane, in sides of the box
    for (const Vec3& p : points) {
      const Vec3 d = abs(p - from);
      reach = std::max(reach, d.x / size.x + d.y / size.y + d.z / size.z);
    }
    std::vector<Vec3> tips{from, from, from, from};
    for (int axis = 0; axis < 3; ++axis)
      tips[static_cast<size_t>(axis) + 1][axis] += (corner >> axis & 1 ? -reach : reach) * size[axis];
    Hull tetrahedron = hull_of(tips);
    if (best.vertices.empty() || volume(tetrahedron) < volume(best)) best = std::move(tetrahedron);
  }
  return best;
}

// A body smaller than the hull cannot enclose it, whatever rounding suggests.
Hull smallest_around(const TriangleMesh& hull, uint32_t most_vertices) {
  std::vector<Hull> candidates{hull_of(progressive_hull(hull, most_vertices)), tetrahedron_around(hull.vertices)};
  for (const Frame& frame : likely_frames(hull)) candidates.push_back(box_around(hull.vertices, frame, 0));
  const double least = volume(Hull{hull.vertices, hull.triangles}) * (1 - 1e-6);
  std::erase_if(candidates, [&](const Hull& h) { return h.vertices.size() > most_vertices || volume(h) < least; });
  return *std::min_element(candidates.begin(), candidates.end(),
                           [](const Hull& a, const Hull& b) { return volume(a) < volume(b); });
}

}  // namespace

std::optional<Hull> capped_hull(std::span<const Vec3> points, uint32_t most_vertices, double thickness) {
  HITBOX_ASSERT(most_vertices >= 4);
  if (points.empty() || !std::all_of(points.begin(), points.end(), is_finite)) return std::nullopt;
  ConvexHull exact = solid_hull(points, thickness);
  if (exact.dimension < 3) return std::nullopt;
  const double diagonal = bounds_of(exact.mesh.vertices).diagonal();
  Hull hull = exact.mesh.vertices.size() <= most_vertices ? to_hull(std::move(exact))
                                                          : smallest_around(exact.mesh, most_vertices);
  return std::get<Hull>(enclosing(std::move(hull), points, Tolerances::of_diagonal(diagonal)));
}

}  // namespace hitbox::internal::hulls
