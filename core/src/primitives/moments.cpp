#include "primitives/moments.hpp"

#include "mesh/triangulate.hpp"

namespace hitbox::internal::primitives {

// Faces without area get this area (on a unit-diagonal mesh), so that they still have a position.
constexpr double kLeastArea = 1e-14;

static Moments triangle_moments(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double area = std::max(0.5 * norm(cross(b - a, c - a)), kLeastArea);
  const Vec3 centroid = (a + b + c) / 3;
  const double weight = area / 12;
  return {area, centroid,
          Sym3::outer(a - centroid, weight) + Sym3::outer(b - centroid, weight) + Sym3::outer(c - centroid, weight)};
}

Moments face_moments(std::span<const Vec3> vertices, std::span<const uint32_t> face) {
  Moments sum;
  for_each_triangle(vertices, face, [&](uint32_t a, uint32_t b, uint32_t c) {
    const Moments more = triangle_moments(vertices[a], vertices[b], vertices[c]);
    sum = sum.area > 0 ? sum + more : more;
  });
  return sum;
}

}  // namespace hitbox::internal::primitives
