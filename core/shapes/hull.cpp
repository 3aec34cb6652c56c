#include "hull.hpp"

#include "box.hpp"

namespace hitbox {

namespace {

// Below this height, as a share of the hull's diagonal, a triangle's normal is noise; its
// neighbours say where the surface is.
constexpr double kSliver = 1e-12;

struct Facet {
  Vec3 a, b, c, normal;  // `normal` is a unit vector, or 0 where the triangle is a sliver
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

// How far the middle is from the nearest facet's plane; 0 where the hull is flat.
double inner_radius(const Hull& hull) {
  const Vec3 middle = middle_of(hull);
  double radius = bounds_of(hull.vertices).diagonal();
  for (const Facet& facet : facets_of(hull))
    if (norm_sq(facet.normal) > 0) radius = std::min(radius, dot(facet.normal, facet.a - middle));
  return std::max(radius, 0.0);
}

bool is_flat(const Hull& hull) {
  return inner_radius(hull) <= kSliver * bounds_of(hull.vertices).diagonal();
}

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
  return std::min({to_segment_sq(p, facet.a, facet.b), to_segment_sq(p, facet.b, facet.c),
                   to_segment_sq(p, facet.c, facet.a)});
}

Hull scaled_about(const Hull& hull, const Vec3& center, double scale) {
  Hull result = hull;
  for (Vec3& v : result.vertices) v = center + (v - center) * scale;
  return result;
}

}  // namespace

double volume(const Hull& hull) {
  const Vec3 middle = middle_of(hull);
  double sixfold = 0;
  for (const auto& t : hull.triangles)
    sixfold += dot(hull.vertices[t[0]] - middle,
                   cross(hull.vertices[t[1]] - middle, hull.vertices[t[2]] - middle));
  return std::max(sixfold / 6, 0.0);
}

double area(const Hull& hull) {
  double doubled = 0;
  for (const auto& t : hull.triangles)
    doubled += norm(cross(hull.vertices[t[1]] - hull.vertices[t[0]],
                          hull.vertices[t[2]] - hull.vertices[t[0]]));
  return doubled / 2;
}

// Half the length of every edge times the angle the surface turns by there.
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
                               [&](const Vec3& a, const Vec3& b) {
                                 return dot(a - middle, d) < dot(b - middle, d);
                               });
  }
}

TriangleMesh to_mesh(const Hull& hull, int) { return {hull.vertices, hull.triangles}; }

// Scaling about an inner point moves every plane out by its own distance over that of the nearest
// one times `by`, so by at least `by`. A flat hull cannot be scaled up that way, and a thin one
// becomes needlessly large: its bounding box then is the smaller answer.
Hull grown(const Hull& hull, double by) {
  const double radius = inner_radius(hull);
  Bounds around = bounds(hull);
  around.grow(by);
  const double scale = 1 + by / radius;  // infinite where flat
  if (!is_flat(hull) && volume(hull) * scale * scale * scale <= around.volume())
    return scaled_about(hull, middle_of(hull), scale);
  TriangleMesh box = to_mesh(Box{around.center(), {}, around.size() / 2}, 0);
  return {std::move(box.vertices), std::move(box.triangles)};
}

Hull transformed(const Hull& hull, const Similarity& similarity) {
  Hull result = hull;
  for (Vec3& v : result.vertices) v = similarity.apply(v);
  return result;
}

}  // namespace hitbox
