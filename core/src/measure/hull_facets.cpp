#include "measure/hull_facets.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "geometry/convex_hull.hpp"
#include "mesh/components.hpp"

namespace hitbox::internal::measure {
namespace {

// The normal of a triangle of lower height, as a fraction of the hull's diagonal, is noise.
constexpr double kSliver = 1e-9;
// Triangles that bend by less than this fraction of the diagonal form one polygon.
constexpr double kCoplanar = 1e-6;
// Limit of facets times vertices for a hull's width. Beyond it only the largest facets are tested.
constexpr size_t kMostWidths = 100'000'000;

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

// `normals` has one per triangle, 0 for slivers, which belong to any neighbour.
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

// The smallest distance between a facet's plane and the vertex furthest behind it.
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

HullFacets facets_of(const Hull& hull) {
  const Result<ConvexHull> found = convex_hull(hull.vertices);
  HITBOX_ASSERT(found.ok());
  HullFacets facets;
  facets.mesh = found.value().mesh;
  const double diagonal = bounds_of(facets.mesh.vertices).diagonal();
  facets.normals = normals_of(facets.mesh, diagonal);
  facets.polygons = 2;
  if (found.value().dimension < 3) return facets;
  facets.polygons = polygon_count(facets.mesh, facets.normals, diagonal);
  facets.width = width_of(facets.mesh, facets.normals);
  return facets;
}

}  // namespace hitbox::internal::measure
