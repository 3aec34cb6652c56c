#include "hitbox/shapes/prism.hpp"

#include "shapes/trapezoid.hpp"

namespace hitbox {

using namespace internal::shapes;

namespace {

Trapezoid profile_of(const Prism& prism) { return {prism.half_y, prism.half_bottom, prism.half_top}; }

// Corner k: bit 0 is the side along x, bit 1 along y, bit 2 along z.
std::array<Vec3, 8> corners_of(const Prism& prism) {
  const Frame frame = to_frame(prism.rotation);
  std::array<Vec3, 8> corners;
  for (unsigned k = 0; k < 8; ++k) {
    const double z = k & 2 ? prism.half_top : prism.half_bottom;
    const Vec3 local{k & 1 ? prism.half_x : -prism.half_x, k & 2 ? prism.half_y : -prism.half_y, k & 4 ? z : -z};
    corners[k] = prism.center + frame.to_world(local);
  }
  return corners;
}

}  // namespace

double volume(const Prism& prism) { return 4 * prism.half_x * prism.half_y * (prism.half_bottom + prism.half_top); }

double area(const Prism& prism) {
  const double widths = prism.half_bottom + prism.half_top;
  const double perimeter = 2 * widths + 2 * profile_of(prism).side();
  return 4 * prism.half_y * widths + 2 * prism.half_x * perimeter;
}

double mean_curvature(const Prism& prism) {
  const double widths = prism.half_bottom + prism.half_top;
  return 2 * kPi * prism.half_x + kPi * (widths + profile_of(prism).side());
}

Bounds bounds(const Prism& prism) { return bounds_of(corners_of(prism)); }

void signed_distance(const Prism& prism, std::span<const Vec3> points, std::span<double> out) {
  const Frame frame = to_frame(prism.rotation);
  const Trapezoid profile = profile_of(prism);
  for (size_t k = 0; k < points.size(); ++k) {
    const Vec3 p = frame.to_local(points[k] - prism.center);
    const double along = std::abs(p.x) - prism.half_x, off = signed_distance(profile, p.y, p.z);
    const double a = std::max(along, 0.0), b = std::max(off, 0.0);
    out[k] = std::sqrt(a * a + b * b) + std::min(std::max(along, off), 0.0);
  }
}

void support(const Prism& prism, std::span<const Vec3> directions, std::span<Vec3> out) {
  const std::array<Vec3, 8> corners = corners_of(prism);
  for (size_t k = 0; k < directions.size(); ++k) {
    const Vec3& d = directions[k];
    out[k] = *std::max_element(corners.begin(), corners.end(), [&](const Vec3& a, const Vec3& b) {
      return dot(a - prism.center, d) < dot(b - prism.center, d);
    });
  }
}

Vec3 nearest(const Prism& prism, const Vec3& p) {
  const Frame frame = to_frame(prism.rotation);
  const Vec3 local = frame.to_local(p - prism.center);
  const auto [y, z] = nearest(profile_of(prism), local.y, local.z);
  const Vec3 inside{std::clamp(local.x, -prism.half_x, prism.half_x), y, z};
  return inside == local ? p : prism.center + frame.to_world(inside);
}

// If one width is 0, two edges coincide: they become one, and the faces between them disappear.
TriangleMesh to_mesh(const Prism& prism, int) {
  const std::array<Vec3, 8> corners = corners_of(prism);
  constexpr std::array<std::array<uint32_t, 3>, 12> kTriangles = {{{0, 2, 3},
                                                                   {0, 3, 1},
                                                                   {4, 5, 7},
                                                                   {4, 7, 6},
                                                                   {0, 1, 5},
                                                                   {0, 5, 4},
                                                                   {2, 6, 7},
                                                                   {2, 7, 3},
                                                                   {0, 4, 6},
                                                                   {0, 6, 2},
                                                                   {1, 3, 7},
                                                                   {1, 7, 5}}};
  TriangleMesh mesh;
  std::array<uint32_t, 8> vertex_of_corner{};
  for (unsigned k = 0; k < 8; ++k) {
    const bool doubled = (k & 4) && (k & 2 ? prism.half_top : prism.half_bottom) == 0;
    vertex_of_corner[k] = doubled ? vertex_of_corner[k - 4] : static_cast<uint32_t>(mesh.vertices.size());
    if (!doubled) mesh.vertices.push_back(corners[k]);
  }
  for (const auto& t : kTriangles) {
    const uint32_t a = vertex_of_corner[t[0]], b = vertex_of_corner[t[1]], c = vertex_of_corner[t[2]];
    if (a != b && b != c && c != a) mesh.triangles.push_back({a, b, c});
  }
  return mesh;
}

Prism grown(const Prism& prism, double by) {
  const Trapezoid profile = grown(profile_of(prism), by);
  return {prism.center, prism.rotation, prism.half_x + by, profile.half_height, profile.top, profile.bottom};
}

Prism shrunk(const Prism& prism, double by, double least) {
  const auto [profile, middle] = shrunk(profile_of(prism), by, least);
  return {prism.center + to_frame(prism.rotation).axis[1] * middle,
          prism.rotation,
          shrunk_size(prism.half_x, by, least),
          profile.half_height,
          profile.top,
          profile.bottom};
}

Prism transformed(const Prism& prism, const Similarity& similarity) {
  const double s = similarity.scale;
  return {similarity.apply(prism.center),
          similarity.rotation * prism.rotation,
          prism.half_x * s,
          prism.half_y * s,
          prism.half_top * s,
          prism.half_bottom * s};
}

}  // namespace hitbox
