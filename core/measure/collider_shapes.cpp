#include "collider_shapes.hpp"

#include <algorithm>

#include "../base/assert.hpp"
#include "../geometry/convex_hull.hpp"
#include "../geometry/triangle.hpp"
#include "../mesh/components.hpp"

namespace hitbox {

namespace {

// Below this height, as a share of the hull's diagonal, a triangle's normal is noise.
constexpr double kSliver = 1e-9;
// Triangles that bend by less than this share of the diagonal are one polygon.
constexpr double kCoplanar = 1e-6;
// Facets times vertices looked at for a hull's width: beyond it the largest facets have to do.
constexpr size_t kMostWidths = 100'000'000;

std::vector<Bounds> boxes_of(std::span<const Shape> shapes) {
  std::vector<Bounds> boxes;
  for (const Shape& shape : shapes) boxes.push_back(bounds(shape));
  return boxes;
}

double extent_of(const Box& box) { return 2 * min_component(box.half_extents); }
double extent_of(const Sphere& sphere) { return 2 * sphere.radius; }
double extent_of(const Capsule& capsule) { return 2 * capsule.radius; }
double extent_of(const Cylinder& s) { return std::min(norm(s.end - s.start), 2 * s.radius); }
double extent_of(const Frustum& s) {
  return std::min(norm(s.end - s.start), 2 * std::max(s.radius_start, s.radius_end));
}
double extent_of(const Prism& s) {
  return 2 * std::min({s.half_x, s.half_y, std::max(s.half_top, s.half_bottom)});
}
double extent_of(const Hull&) { return 0; }  // its facets say it

struct Side {
  uint32_t low, high, triangle;
};

std::vector<Side> sides_of(const TriangleMesh& mesh) {
  std::vector<Side> sides;
  sides.reserve(3 * mesh.triangles.size());
  for (uint32_t t = 0; t < mesh.triangles.size(); ++t)
    for (size_t k = 0; k < 3; ++k) {
      const uint32_t a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
      sides.push_back({std::min(a, b), std::max(a, b), t});
    }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return std::array{a.low, a.high, a.triangle} < std::array{b.low, b.high, b.triangle};
  });
  return sides;
}

// `normals`: one a triangle, 0 for slivers, which belong to any neighbour.
uint32_t polygon_count(const TriangleMesh& mesh, std::span<const Vec3> normals, double diagonal) {
  DisjointSets sets(mesh.triangles.size());
  size_t count = mesh.triangles.size();
  const std::vector<Side> sides = sides_of(mesh);
  const auto lies_in = [&](uint32_t triangle, uint32_t plane) {
    const Vec3& on = mesh.vertices[mesh.triangles[plane][0]];
    return std::ranges::all_of(mesh.triangles[triangle], [&](uint32_t v) {
      return std::abs(dot(normals[plane], mesh.vertices[v] - on)) <= kCoplanar * diagonal;
    });
  };
  for (size_t k = 0; k + 1 < sides.size(); ++k) {
    if (sides[k].low != sides[k + 1].low || sides[k].high != sides[k + 1].high) continue;
    const uint32_t a = sides[k].triangle, b = sides[k + 1].triangle;
    if ((lies_in(a, b) || lies_in(b, a)) && sets.unite(a, b)) --count;
  }
  return static_cast<uint32_t>(count);
}

// The distance between the plane of a facet and the vertex furthest behind it, at its smallest.
double width_of(const TriangleMesh& mesh, std::span<const Vec3> normals) {
  std::vector<std::pair<double, uint32_t>> by_area;
  for (uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    const Triangle& corners = mesh.triangles[t];
    const Vec3& a = mesh.vertices[corners[0]];
    const double area = norm(cross(mesh.vertices[corners[1]] - a, mesh.vertices[corners[2]] - a));
    if (norm_sq(normals[t]) > 0) by_area.emplace_back(-area, t);
  }
  const size_t most = std::max<size_t>(1, kMostWidths / mesh.vertices.size());
  if (by_area.size() > most) {
    std::sort(by_area.begin(), by_area.end());
    by_area.resize(most);
  }
  double smallest = Bounds::kInfinity;
  for (const auto& [_, t] : by_area) {
    const Vec3& on = mesh.vertices[mesh.triangles[t][0]];
    double depth = 0;
    for (const Vec3& v : mesh.vertices) depth = std::max(depth, dot(normals[t], on - v));
    smallest = std::min(smallest, depth);
  }
  return by_area.empty() ? 0 : smallest;
}

std::vector<Vec3> normals_of(const TriangleMesh& mesh, double diagonal) {
  std::vector<Vec3> normals;
  normals.reserve(mesh.triangles.size());
  for (const Triangle& t : mesh.triangles) {
    const Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    const Vec3 doubled = cross(b - a, c - a);
    const double base = std::sqrt(std::max({norm_sq(b - a), norm_sq(c - b), norm_sq(a - c)}));
    normals.push_back(norm(doubled) > kSliver * diagonal * base ? normalized(doubled) : Vec3{0, 0, 0});
  }
  return normals;
}

}  // namespace

ColliderShapes::HullFacets ColliderShapes::facets_of(const Hull& hull, ShapeFacts& facts) const {
  HullFacets facets;
  const Result<ConvexHull> found = convex_hull(hull.vertices);
  HITBOX_ASSERT(found.ok());
  const bool solid = found.value().dimension == 3;
  const TriangleMesh& mesh = found.value().mesh;
  facts.corners = static_cast<uint32_t>(mesh.vertices.size());
  facts.polygons = 2;
  const auto add = [&](const Vec3& a, const Vec3& b, const Vec3& c) { facets.triangles.push_back({a, b, c}); };
  if (!solid) {
    for (const auto& t : hull.triangles) add(hull.vertices[t[0]], hull.vertices[t[1]], hull.vertices[t[2]]);
    return facets;
  }
  const double diagonal = bounds_of(mesh.vertices).diagonal();
  const std::vector<Vec3> normals = normals_of(mesh, diagonal);
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Triangle& corners = mesh.triangles[t];
    const Vec3& a = mesh.vertices[corners[0]];
    add(a, mesh.vertices[corners[1]], mesh.vertices[corners[2]]);
    if (norm_sq(normals[t]) > 0) facets.planes.push_back({normals[t], dot(normals[t], a)});
  }
  facts.polygons = polygon_count(mesh, normals, diagonal);
  facts.smallest_extent = width_of(mesh, normals);
  if (!(facts.smallest_extent > 0)) facets.planes.clear();
  return facets;
}

ColliderShapes::ColliderShapes(std::vector<Shape> shapes, Run& run)
    : shapes_(std::move(shapes)),
      facts_(shapes_.size()),
      hull_of_shape_(shapes_.size(), Bvh::kNone),
      boxes_(boxes_of(shapes_), run) {
  for (uint32_t k = 0; k < shapes_.size(); ++k) {
    if (!std::holds_alternative<Hull>(shapes_[k])) continue;
    hull_of_shape_[k] = static_cast<uint32_t>(hulls_.size());
    hulls_.emplace_back();
  }
  run.for_each_block(shapes_.size(), 1, [&](size_t k, size_t, size_t) {
    facts_[k].volume = volume(shapes_[k]);
    facts_[k].smallest_extent = std::visit([](const auto& s) { return extent_of(s); }, shapes_[k]);
    if (const auto* hull = std::get_if<Hull>(&shapes_[k]))
      hulls_[hull_of_shape_[k]] = facets_of(*hull, facts_[k]);
  });
}

bool ColliderShapes::is_inside(uint32_t shape, const Vec3& p) const {
  if (hull_of_shape_[shape] == Bvh::kNone) {
    double distance = 0;
    signed_distance(shapes_[shape], {&p, 1}, {&distance, 1});
    return distance < 0;
  }
  const HullFacets& facets = hulls_[hull_of_shape_[shape]];
  if (facets.planes.empty()) return false;
  return std::ranges::all_of(facets.planes,
                             [&](const Plane& plane) { return dot(plane.normal, p) < plane.offset; });
}

// Signed, and right as long as it is below `limit`.
double ColliderShapes::distance_within(uint32_t shape, const Vec3& p, double limit) const {
  if (hull_of_shape_[shape] == Bvh::kNone) {
    double distance = 0;
    signed_distance(shapes_[shape], {&p, 1}, {&distance, 1});
    return distance;
  }
  const HullFacets& facets = hulls_[hull_of_shape_[shape]];
  double above = facets.planes.empty() ? 0 : -Bounds::kInfinity;
  for (const Plane& plane : facets.planes)
    above = std::max(above, dot(plane.normal, p) - plane.offset);
  if (!facets.planes.empty() && (above <= 0 || above >= limit)) return above;
  double nearest_sq = limit * limit;
  for (const auto& t : facets.triangles)
    nearest_sq = std::min(nearest_sq, norm_sq(p - closest_point_on_triangle(p, t[0], t[1], t[2])));
  return std::sqrt(nearest_sq);
}

size_t ColliderShapes::others_around(const Vec3& p, uint32_t own, size_t most) const {
  size_t count = 0;
  boxes_.overlaps({p, p}, [&](uint32_t shape) {
    if (count < most && shape != own && is_inside(shape, p)) ++count;
  });
  return count;
}

double ColliderShapes::distance_outside(const Vec3& p) const {
  double best = Bounds::kInfinity;
  boxes_.tree().nearest_first(
      [&](const Bvh::Node& node, double out[4]) { child_distances_sq(node, {p, p}, out); },
      [&] { return best > 0 ? best * best : -1; },
      [&](uint32_t first, uint32_t count) {
        for (const uint32_t shape : boxes_.tree().order().subspan(first, count))
          if (best > 0 && distance_sq(boxes_.boxes()[shape], p) < best * best)
            best = std::max(0.0, std::min(best, distance_within(shape, p, best)));
      });
  return best;
}

}  // namespace hitbox
