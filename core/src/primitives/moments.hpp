// Area, centroid and second moments of a set of faces. They are additive, so the first merges use them, where there are
// too many clusters to fit shapes. The moments are central, because raw moments lose the digits of small clusters far
// from the origin.
#pragma once

#include "base/mat3.hpp"
#include "hitbox/mesh.hpp"

namespace hitbox::internal::primitives {

struct Moments {
  double area = 0;
  Vec3 centroid;
  Sym3 second;  // integral of (x - centroid)(x - centroid)^T
};

inline Moments operator+(const Moments& a, const Moments& b) {  // parallel axis theorem
  const double area = a.area + b.area;
  const Vec3 apart = b.centroid - a.centroid;
  return {area, a.centroid + apart * (b.area / area), a.second + b.second + Sym3::outer(apart, a.area * b.area / area)};
}

Moments face_moments(std::span<const Vec3> vertices, std::span<const uint32_t> face);

// The volume of the solid box with these moments, with each side grown by `clearance`. It is exact for filled boxes and
// a proxy for surfaces. It is rotation-invariant and needs no frame.
inline double box_proxy(const Moments& m, double clearance) {
  const double inverse = 1 / m.area, grow = clearance * clearance / 3;
  Sym3 spread = m.second * inverse;
  spread.xx += grow;
  spread.yy += grow;
  spread.zz += grow;
  return 8 * std::sqrt(27 * std::max(spread.determinant(), 0.0));
}

}  // namespace hitbox::internal::primitives
