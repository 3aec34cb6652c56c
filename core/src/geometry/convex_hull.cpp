#include "geometry/convex_hull.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "base/assert.hpp"
#include "base/format.hpp"
#include "geometry/predicates.hpp"
#include "geometry/quickhull.hpp"
#include "hitbox/bounds.hpp"

namespace hitbox::internal::geometry {
namespace {

auto key(const Vec3& p) { return std::tie(p.x, p.y, p.z); }

std::vector<Vec3> scaled_into_exact_range(std::span<const Vec3> points) {
  double largest = 0;
  for (const Vec3& p : points) largest = std::max(largest, max_component(abs(p)));
  const double scale = largest > 0 ? exact_scale(largest) : 1;
  std::vector<Vec3> result(points.size());
  for (size_t k = 0; k < points.size(); ++k)
    result[k] = {scaled_exactly(points[k].x, scale), scaled_exactly(points[k].y, scale),
                 scaled_exactly(points[k].z, scale)};
  return result;
}

// The index with the largest `measure`, the first one for ties.
template <class Measure>
uint32_t argmax(std::span<const Vec3> points, Measure&& measure) {
  uint32_t best = 0;
  double most = measure(points[0]);
  for (uint32_t k = 1; k < points.size(); ++k)
    if (const double m = measure(points[k]); m > most) {
      most = m;
      best = k;
    }
  return best;
}

template <class Condition>
uint32_t first_where(std::span<const Vec3> points, Condition&& condition) {
  const auto found = std::find_if(points.begin(), points.end(), condition);
  return static_cast<uint32_t>(found - points.begin());
}

// Up to four affinely independent points, as far apart as floats can tell. All points are tested exactly only if the
// choice by floats is degenerate.
struct Simplex {
  std::array<uint32_t, 4> corner{};
  int dimension = 0;
};

Simplex find_simplex(std::span<const Vec3> points) {
  const auto count = static_cast<uint32_t>(points.size());
  Simplex simplex;
  auto& [a, b, c, d] = simplex.corner;
  for (uint32_t k = 1; k < count; ++k)
    if (key(points[k]) < key(points[a])) a = k;
  const Vec3 pa = points[a];
  b = argmax(points, [&](const Vec3& p) { return norm_sq((p - pa) * 0x1p-340); });
  if (points[b] == pa) b = first_where(points, [&](const Vec3& p) { return p != pa; });
  if (b == count) return simplex;
  simplex.dimension = 1;

  const Vec3 pb = points[b], along = normalized(pb - pa);
  c = argmax(points, [&](const Vec3& p) { return norm_sq(cross(along, (p - pa) * 0x1p-340)); });
  if (are_collinear(pa, pb, points[c]))
    c = first_where(points, [&](const Vec3& p) { return !are_collinear(pa, pb, p); });
  if (c == count) return simplex;
  simplex.dimension = 2;

  const Vec3 pc = points[c], normal = normalized(cross(along, (pc - pa) * 0x1p-340));
  d = argmax(points, [&](const Vec3& p) { return std::abs(dot(normal, p - pa)); });
  if (orient3d(pa, pb, pc, points[d]) == 0)
    d = first_where(points, [&](const Vec3& p) { return orient3d(pa, pb, pc, p) != 0; });
  if (d == count) return simplex;
  simplex.dimension = 3;
  return simplex;
}

// Points in a plane, projected along a coordinate axis that does not lie in it. The projection is exact and injective,
// so its hull has the same corners.
std::vector<Vec2> projected(std::span<const Vec3> points, const Simplex& simplex) {
  const Vec3 &a = points[simplex.corner[0]], &b = points[simplex.corner[1]], &c = points[simplex.corner[2]];
  const auto flat = [](const Vec3& p, int axis) -> Vec2 { return {p[(axis + 1) % 3], p[(axis + 2) % 3]}; };
  int axis = 0;
  while (axis < 2 && orient2d(flat(a, axis), flat(b, axis), flat(c, axis)) == 0) ++axis;
  std::vector<Vec2> result(points.size());
  for (size_t k = 0; k < points.size(); ++k) result[k] = flat(points[k], axis);
  return result;
}

// The front is a fan around corner 0, the back one around corner 1. No two diagonals are equal, so the surface is
// closed in the strict sense.
std::vector<Triangle> both_sides_of_polygon(uint32_t corners) {
  std::vector<Triangle> triangles;
  for (uint32_t k = 1; k + 1 < corners; ++k) triangles.push_back({0, k, k + 1});
  for (uint32_t k = 1; k + 1 < corners; ++k) triangles.push_back({1, (k + 2) % corners, (k + 1) % corners});
  return triangles;
}

std::vector<uint32_t> ends_of_segment(std::span<const Vec3> points) {
  uint32_t low = 0, high = 0;
  for (uint32_t k = 1; k < points.size(); ++k) {
    if (key(points[k]) < key(points[low])) low = k;
    if (key(points[high]) < key(points[k])) high = k;
  }
  return {low, high};
}

// Numbers the vertices in input order, and sorts the triangles canonically.
void number_vertices(std::vector<Triangle>& triangles, std::vector<uint32_t>& indices, size_t point_count) {
  std::vector<uint32_t> number(point_count, 0);
  for (const Triangle& t : triangles)
    for (const uint32_t v : t) number[v] = 1;
  for (uint32_t v = 0; v < point_count; ++v)
    if (number[v]) {
      number[v] = static_cast<uint32_t>(indices.size());
      indices.push_back(v);
    }
  for (Triangle& t : triangles) {
    for (uint32_t& v : t) v = number[v];
    std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
  }
  std::sort(triangles.begin(), triangles.end());
}

}  // namespace

Result<ConvexHull> convex_hull(std::span<const Vec3> points) {
  if (points.empty()) return Error{"convex hull: there are no points. Give at least one."};
  if (points.size() > 0x7fffffff)
    return Error{format("convex hull: %zu points; at most 2147483647 are allowed.", points.size())};
  for (size_t k = 0; k < points.size(); ++k)
    if (!is_finite(points[k])) return Error{format("convex hull: point %zu is not finite. Remove it or repair it.", k)};

  const std::vector<Vec3> exact = scaled_into_exact_range(points);
  const Simplex simplex = find_simplex(exact);
  ConvexHull hull;
  hull.dimension = simplex.dimension;
  if (simplex.dimension == 3) {
    hull.mesh.triangles = quickhull(exact, simplex.corner);
    number_vertices(hull.mesh.triangles, hull.indices, points.size());
  } else if (simplex.dimension == 2) {
    hull.indices = convex_hull_2d(projected(exact, simplex));
    hull.mesh.triangles = both_sides_of_polygon(static_cast<uint32_t>(hull.indices.size()));
  } else if (simplex.dimension == 1) {
    hull.indices = ends_of_segment(exact);
  } else {
    hull.indices = {0};
  }
  for (const uint32_t index : hull.indices) hull.mesh.vertices.push_back(points[index]);
  HITBOX_ASSERT(verify_hull(points, hull, false).empty());
  return hull;
}

double convex_hull_volume(std::span<const Vec3> points) {
  if (points.empty()) return 0;
  const std::vector<Vec3> exact = scaled_into_exact_range(points);
  const Simplex simplex = find_simplex(exact);
  if (simplex.dimension < 3) return 0;
  const Vec3 origin = points[simplex.corner[0]];
  double six = 0;
  for (const auto& [a, b, c] : quickhull_unmerged(exact, simplex.corner))
    six += dot(points[a] - origin, cross(points[b] - origin, points[c] - origin));
  return six / 6;
}

// Andrew's monotone chain; a corner stays only while it turns strictly left.
std::vector<uint32_t> convex_hull_2d(std::span<const Vec2> points) {
  std::vector<uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::tie(points[a].x, points[a].y, a) < std::tie(points[b].x, points[b].y, b);
  });
  const auto same = [&](uint32_t a, uint32_t b) { return points[a] == points[b]; };
  order.erase(std::unique(order.begin(), order.end(), same), order.end());
  if (order.size() < 3) return order;

  std::vector<uint32_t> hull;
  const auto append = [&](uint32_t p, size_t fixed) {
    while (hull.size() > fixed && orient2d(points[hull[hull.size() - 2]], points[hull.back()], points[p]) <= 0)
      hull.pop_back();
    hull.push_back(p);
  };
  for (const uint32_t p : order) append(p, 1);
  const size_t lower = hull.size();
  for (size_t k = order.size() - 1; k-- > 0;) append(order[k], lower);
  hull.pop_back();
  return hull;
}

namespace {

struct HalfEdge {
  uint32_t from, to, triangle, opposite;  // `opposite`: the third corner
};

std::vector<HalfEdge> sorted_half_edges(std::span<const Triangle> triangles) {
  std::vector<HalfEdge> edges;
  edges.reserve(3 * triangles.size());
  for (uint32_t t = 0; t < triangles.size(); ++t)
    for (size_t k = 0; k < 3; ++k)
      edges.push_back({triangles[t][k], triangles[t][(k + 1) % 3], t, triangles[t][(k + 2) % 3]});
  std::sort(edges.begin(), edges.end(),
            [](const HalfEdge& a, const HalfEdge& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
  return edges;
}

std::string verify_edges(std::span<const Vec3> vertices, std::span<const Triangle> triangles) {
  const std::vector<HalfEdge> edges = sorted_half_edges(triangles);
  for (size_t k = 0; k < edges.size(); ++k) {
    const HalfEdge& edge = edges[k];
    if (k > 0 && edges[k - 1].from == edge.from && edges[k - 1].to == edge.to)
      return format("edge %u-%u occurs twice in the same direction", edge.from, edge.to);
    const auto twin = std::lower_bound(edges.begin(), edges.end(), edge, [](const HalfEdge& a, const HalfEdge& b) {
      return std::tie(a.from, a.to) < std::make_tuple(b.to, b.from);
    });
    if (twin == edges.end() || twin->from != edge.to || twin->to != edge.from)
      return format("edge %u-%u has no neighbour", edge.from, edge.to);
    const Triangle& t = triangles[edge.triangle];
    if (orient3d(vertices[t[0]], vertices[t[1]], vertices[t[2]], vertices[twin->opposite]) > 0)
      return format("edge %u-%u is not convex", edge.from, edge.to);
  }
  return {};
}

std::string verify_enclosure(std::span<const Vec3> points, std::span<const Vec3> vertices,
                             std::span<const Triangle> triangles) {
  for (size_t t = 0; t < triangles.size(); ++t) {
    const Vec3 &a = vertices[triangles[t][0]], &b = vertices[triangles[t][1]], &c = vertices[triangles[t][2]];
    if (are_collinear(a, b, c)) return format("triangle %zu has no area", t);
    for (size_t k = 0; k < points.size(); ++k)
      if (orient3d(a, b, c, points[k]) > 0) return format("point %zu lies outside triangle %zu", k, t);
  }
  return {};
}

}  // namespace

std::string verify_hull(std::span<const Vec3> points, const ConvexHull& hull, bool exhaustive) {
  if (hull.indices.size() != hull.mesh.vertices.size()) return "the number of indices is not that of the vertices";
  const std::vector<Vec3> exact = scaled_into_exact_range(points);
  std::vector<Vec3> vertices;
  for (size_t k = 0; k < hull.indices.size(); ++k) {
    if (hull.indices[k] >= points.size() || hull.mesh.vertices[k] != points[hull.indices[k]])
      return format("vertex %zu is not the input point it names", k);
    vertices.push_back(exact[hull.indices[k]]);
  }
  const std::vector<Triangle>& triangles = hull.mesh.triangles;
  if (hull.dimension < 2)
    return vertices.size() == static_cast<size_t>(hull.dimension) + 1 && triangles.empty()
               ? ""
               : "a point or segment with the wrong number of vertices or triangles";
  if (triangles.size() + 4 != 2 * vertices.size()) return "Euler's formula does not hold";
  std::string problem = verify_edges(vertices, triangles);
  if (problem.empty() && exhaustive) problem = verify_enclosure(exact, vertices, triangles);
  return problem;
}

}  // namespace hitbox::internal::geometry
