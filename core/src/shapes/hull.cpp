#include "hitbox/shapes/hull.hpp"

#include <optional>

#include "geometry/convex_hull.hpp"
#include "geometry/linear_program.hpp"
#include "geometry/min_ball.hpp"
#include "geometry/triangle.hpp"
#include "hitbox/shapes/box.hpp"

namespace hitbox {

using namespace internal::shapes;

namespace {

// The normal of a triangle of lower height, as a fraction of the hull's diagonal, is noise. Its neighbours define the
// surface there.
constexpr double kSliver = 1e-12;

struct Facet {
  Vec3 a, b, c, normal;  // `normal` is a unit vector, or 0 for a sliver
};

std::vector<Facet> facets_of(const Hull& hull) {
  const double least = kSliver * bounds_of(hull.vertices).diagonal();
  std::vector<Facet> facets;
  facets.reserve(hull.triangles.size());
  for (const auto& t : hull.triangles) {
    const Vec3 &a = hull.vertices[t[0]], &b = hull.vertices[t[1]], &c = hull.vertices[t[2]];
    const Vec3 doubled = cross(b - a, c - a);
    const double base = std::sqrt(std::max({norm_sq(b - a), norm_sq(c - b), norm_sq(a - c)}));
    const bool is_sliver = !(norm(doubled) > least * base);
    facets.push_back({a, b, c, is_sliver ? Vec3{0, 0, 0} : normalized(doubled)});
  }
  return facets;
}

Vec3 middle_of(const Hull& hull) {
  Vec3 sum;
  for (const Vec3& v : hull.vertices) sum += v / static_cast<double>(hull.vertices.size());
  return sum;
}

// The distance of the centre from the nearest facet's plane; 0 for a flat hull.
double inner_radius(const Hull& hull) {
  const Vec3 middle = middle_of(hull);
  double radius = bounds_of(hull.vertices).diagonal();
  for (const Facet& facet : facets_of(hull))
    if (norm_sq(facet.normal) > 0) radius = std::min(radius, dot(facet.normal, facet.a - middle));
  return std::max(radius, 0.0);
}

bool is_flat(const Hull& hull) { return inner_radius(hull) <= kSliver * bounds_of(hull.vertices).diagonal(); }

double to_segment_sq(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 ab = b - a;
  const double length_sq = norm_sq(ab);
  const double t = length_sq > 0 ? std::clamp(dot(p - a, ab) / length_sq, 0.0, 1.0) : 0;
  return norm_sq(p - (a + ab * t));
}

double to_facet_sq(const Vec3& p, const Facet& facet) {
  const Vec3& n = facet.normal;
  const bool over = norm_sq(n) > 0 && dot(cross(facet.b - facet.a, p - facet.a), n) >= 0 &&
                    dot(cross(facet.c - facet.b, p - facet.b), n) >= 0 &&
                    dot(cross(facet.a - facet.c, p - facet.c), n) >= 0;
  if (over) {
    const double height = dot(n, p - facet.a);
    return height * height;
  }
  return std::min(
      {to_segment_sq(p, facet.a, facet.b), to_segment_sq(p, facet.b, facet.c), to_segment_sq(p, facet.c, facet.a)});
}

Hull scaled_about(const Hull& hull, const Vec3& center, double scale) {
  Hull result = hull;
  for (Vec3& v : result.vertices) v = center + (v - center) * scale;
  return result;
}

std::optional<Hull> hull_around(const std::vector<Vec3>& points) {
  if (points.empty()) return std::nullopt;
  ConvexHull found = std::move(convex_hull(points).value());
  if (found.dimension < 3) return std::nullopt;
  return Hull{std::move(found.mesh.vertices), std::move(found.mesh.triangles)};
}

// Moves every vertex by `by` x u, where u is the shortest vector with normal . u >= 1 for all facets at the vertex. A
// normal n of the hull's surface at a vertex is a sum of those normals with factors that add up to 1 or more, so the
// support along n grows by at least `by`. Empty if a tip is too sharp.
std::optional<Hull> with_vertices_moved_out(const Hull& hull, double by) {
  constexpr double kSharp = 0.05;  // a tip would move out by more than 20 x `by`
  std::vector<std::vector<Vec3>> normals(hull.vertices.size());
  const std::vector<Facet> facets = facets_of(hull);
  for (size_t t = 0; t < facets.size(); ++t)
    if (norm_sq(facets[t].normal) > 0)
      for (const uint32_t v : hull.triangles[t]) normals[v].push_back(facets[t].normal);
  std::vector<Vec3> moved;
  for (size_t v = 0; v < normals.size(); ++v) {
    // only slivers: the vertex lies between its neighbours
    if (normals[v].empty()) continue;
    const Vec3 direction = normalized(min_ball(normals[v]).center);  // the axis of the narrowest cone around them
    double along = 1;
    for (const Vec3& n : normals[v]) along = std::min(along, dot(n, direction));
    if (!(along > kSharp)) return std::nullopt;
    moved.push_back(hull.vertices[v] + direction * (by / along));
  }
  return hull_around(moved);
}

// A frame along the plane of the largest triangle and its longest edge.
Frame frame_along(const Hull& hull) {
  Vec3 largest, edge;
  for (const auto& t : hull.triangles) {
    const Vec3 &a = hull.vertices[t[0]], &b = hull.vertices[t[1]], &c = hull.vertices[t[2]];
    const Vec3 doubled = cross(b - a, c - a);
    if (norm_sq(doubled) <= norm_sq(largest)) continue;
    largest = doubled;
    edge = std::max({b - a, c - b, a - c}, [](const Vec3& p, const Vec3& q) { return norm_sq(p) < norm_sq(q); });
  }
  return frame_from(largest, edge);
}

// The half-spaces of a hull, which can be moved in. Centred at the origin, with diagonal 1.
struct Sides {
  Vec3 middle;
  double scale;
  std::vector<HalfSpace> half_spaces;
  std::vector<Vec3> outward_at_vertex;

  explicit Sides(const Hull& hull)
      : middle(middle_of(hull)), scale(bounds_of(hull.vertices).diagonal()), outward_at_vertex(hull.vertices.size()) {
    const std::vector<Facet> facets = facets_of(hull);
    for (size_t t = 0; t < facets.size(); ++t) {
      const Vec3& normal = facets[t].normal;
      if (norm_sq(normal) == 0) continue;
      half_spaces.push_back({normal, dot(normal, facets[t].a - middle) / scale});
      for (const uint32_t v : hull.triangles[t]) outward_at_vertex[v] += normal;
    }
  }
  // The point furthest along a direction after all sides have moved in; empty if no point is left.
  std::optional<Vec3> furthest(const Vec3& direction, double in) const {
    std::vector<HalfSpace> moved = half_spaces;
    for (HalfSpace& side : moved) side.offset -= in / scale;
    const auto found = lowest_point(-direction, moved, 1);
    return found ? std::optional(middle + *found * scale) : std::nullopt;
  }
  // `by`, or the length that leaves room for a ball of radius `least`; 0 if there is no such room.
  double most_inward(double by, double least) const {
    const Vec3 any{0.48, 0.6, 0.64};
    if (furthest(any, by + least)) return by;
    double low = 0, high = by;
    for (int halving = 0; halving < 40; ++halving) {
      const double middle_way = (low + high) / 2;
      (furthest(any, middle_way + least) ? low : high) = middle_way;
    }
    return low;
  }
};

}  // namespace

double volume(const Hull& hull) {
  const Vec3 middle = middle_of(hull);
  double sixfold = 0;
  for (const auto& t : hull.triangles)
    sixfold += dot(hull.vertices[t[0]] - middle, cross(hull.vertices[t[1]] - middle, hull.vertices[t[2]] - middle));
  return std::max(sixfold / 6, 0.0);
}

double area(const Hull& hull) {
  double doubled = 0;
  for (const auto& t : hull.triangles)
    doubled += norm(cross(hull.vertices[t[1]] - hull.vertices[t[0]], hull.vertices[t[2]] - hull.vertices[t[0]]));
  return doubled / 2;
}

// The sum of half the length of every edge times its bending angle.
double mean_curvature(const Hull& hull) {
  struct Side {
    uint32_t low, high, triangle;
  };
  std::vector<Side> sides;
  for (uint32_t t = 0; t < hull.triangles.size(); ++t)
    for (size_t k = 0; k < 3; ++k) {
      const uint32_t a = hull.triangles[t][k], b = hull.triangles[t][(k + 1) % 3];
      sides.push_back({std::min(a, b), std::max(a, b), t});
    }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return std::array{a.low, a.high, a.triangle} < std::array{b.low, b.high, b.triangle};
  });
  const std::vector<Facet> facets = facets_of(hull);
  double sum = 0;
  for (size_t k = 0; k + 1 < sides.size(); ++k) {
    const Side &one = sides[k], &other = sides[k + 1];
    if (one.low != other.low || one.high != other.high) continue;
    const Vec3 &n = facets[one.triangle].normal, &m = facets[other.triangle].normal;
    const double angle = std::atan2(norm(cross(n, m)), dot(n, m));
    sum += norm(hull.vertices[one.high] - hull.vertices[one.low]) * angle / 2;
  }
  return sum;
}

Bounds bounds(const Hull& hull) { return bounds_of(hull.vertices); }

void signed_distance(const Hull& hull, std::span<const Vec3> points, std::span<double> out) {
  const std::vector<Facet> facets = facets_of(hull);
  const bool has_inside = !is_flat(hull);
  for (size_t k = 0; k < points.size(); ++k) {
    double inside = -Bounds::kInfinity;
    for (const Facet& facet : facets)
      if (norm_sq(facet.normal) > 0) inside = std::max(inside, dot(facet.normal, points[k] - facet.a));
    if (has_inside && inside <= 0) {
      out[k] = inside;
      continue;
    }
    double nearest_sq = Bounds::kInfinity;
    for (const Facet& facet : facets) nearest_sq = std::min(nearest_sq, to_facet_sq(points[k], facet));
    out[k] = std::sqrt(nearest_sq);
  }
}

void support(const Hull& hull, std::span<const Vec3> directions, std::span<Vec3> out) {
  const Vec3 middle = middle_of(hull);
  for (size_t k = 0; k < directions.size(); ++k) {
    const Vec3& d = directions[k];
    out[k] = *std::max_element(hull.vertices.begin(), hull.vertices.end(),
                               [&](const Vec3& a, const Vec3& b) { return dot(a - middle, d) < dot(b - middle, d); });
  }
}

Vec3 nearest(const Hull& hull, const Vec3& p) {
  double distance = 0;
  signed_distance(hull, {&p, 1}, {&distance, 1});
  if (distance <= 0) return p;
  Vec3 best = p;
  double least_sq = Bounds::kInfinity;
  for (const auto& [a, b, c] : hull.triangles) {
    const Vec3 q = closest_point_on_triangle(p, hull.vertices[a], hull.vertices[b], hull.vertices[c]);
    if (norm_sq(p - q) >= least_sq) continue;
    least_sq = norm_sq(p - q);
    best = q;
  }
  return best;
}

TriangleMesh to_mesh(const Hull& hull, int) { return {hull.vertices, hull.triangles}; }

Hull box_around(std::span<const Vec3> points, const Frame& frame, double margin) {
  Bounds local;
  for (const Vec3& p : points) local.add(frame.to_local(p));
  local.grow(margin);
  TriangleMesh box = to_mesh(Box{frame.to_world(local.center()), to_quaternion(frame), local.size() / 2}, 0);
  return {std::move(box.vertices), std::move(box.triangles)};
}

// Scaling about an inner point moves every plane out by `by` times the ratio of its distance to that of the nearest
// plane, so by at least `by`. Moving the vertices changes a long or flat hull less, but reorders its triangles, which
// is unwanted for the last bits. Neither way can grow a flat hull, and a hull with a sharp tip becomes needlessly
// large. A box is then smaller, if the hull has as many vertices.
Hull grown(const Hull& hull, double by) {
  constexpr double kHardly = 1e-6;
  const double radius = inner_radius(hull);
  const bool flat = is_flat(hull);
  if (!flat && by <= kHardly * radius) return scaled_about(hull, middle_of(hull), 1 + by / radius);
  std::vector<Hull> ways;
  if (flat || hull.vertices.size() >= 8)
    ways = {box_around(hull.vertices, Frame{}, by), box_around(hull.vertices, frame_along(hull), by)};
  if (!flat) ways.push_back(scaled_about(hull, middle_of(hull), 1 + by / radius));
  if (auto moved = with_vertices_moved_out(hull, by); moved && !flat) ways.push_back(std::move(*moved));
  return *std::min_element(ways.begin(), ways.end(),
                           [](const Hull& a, const Hull& b) { return volume(a) < volume(b); });
}

// The moved planes may have more corners than the hull where many facets meet at one. Only the corner furthest out is
// used for each vertex, so there are no more vertices than before.
Hull shrunk(const Hull& hull, double by, double least) {
  if (is_flat(hull) || !(by > 0)) return hull;
  const Sides sides(hull);
  const double in = sides.most_inward(by, least);
  std::vector<Vec3> corners;
  for (const Vec3& outward : sides.outward_at_vertex)
    if (const auto corner = sides.furthest(outward, in)) corners.push_back(*corner);
  const auto inner = hull_around(corners);
  return inner ? *inner : hull;
}

Hull transformed(const Hull& hull, const Similarity& similarity) {
  Hull result = hull;
  for (Vec3& v : result.vertices) v = similarity.apply(v);
  return result;
}

}  // namespace hitbox
