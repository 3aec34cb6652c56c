#include "measure/moments.hpp"

namespace hitbox::internal::measure {

namespace {

Sym3 both_ways(const Vec3& a, const Vec3& b) {  // a b^T + b a^T
  return {2 * a.x * b.x, a.x * b.y + a.y * b.x, a.x * b.z + a.z * b.x,
          2 * a.y * b.y, a.y * b.z + a.z * b.y, 2 * a.z * b.z};
}

}  // namespace

MomentsPart tetrahedron_part(const std::array<Vec3, 3>& corners) {
  const auto& [a, b, c] = corners;
  const double volume = dot(a, cross(b, c)) / 6;
  const Vec3 sum = a + b + c;
  const Sym3 squares = Sym3::outer(a, 1) + Sym3::outer(b, 1) + Sym3::outer(c, 1) + Sym3::outer(sum, 1);
  return {volume, sum * (volume / 4), squares * (volume / 20), {}};
}

Moments joined(std::span<const MomentsPart> parts, const Vec3& origin) {
  Moments whole;
  for (const MomentsPart& part : parts) {
    whole.volume += part.volume;
    whole.center += part.first + part.at * part.volume;
  }
  whole.center = whole.center / whole.volume;
  for (const MomentsPart& part : parts) {
    const Vec3 away = part.at - whole.center;
    whole.about = whole.about + part.second + both_ways(part.first, away) + Sym3::outer(away, part.volume);
  }
  whole.center += origin;
  return whole;
}

}  // namespace hitbox::internal::measure
