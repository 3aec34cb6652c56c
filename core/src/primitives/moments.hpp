// Area, centroid and second moments of a set of faces: additive, so they carry the first merges,
// where there are too many clusters to fit shapes. The moments are central: raw ones lose small
// clusters far from the origin.
#pragma once

#include "base/mat3.hpp"
#include "hitbox/mesh.hpp"

namespace hitbox::internal::primitives {

struct Moments {
  double area = 0;
  Vec3 centroid;
  Sym3 second;  // integral of (x - centroid)(x - centroid)^T
};

inline Moments operator+(const Moments& a, const Moments& b) {  // parallel axes
  const double area = a.area + b.area;
  const Vec3 apart = b.centroid - a.centroid;
  return {area, a.centroid + apart * (b.area / area), a.second + b.second + Sym3::outer(apart, a.area * b.area / area)};
}

Moments face_moments(std::span<const Vec3> vertices, std::span<const uint32_t> face);

// Volume of the box that has these moments as a solid, each side grown by `clearance`. Exact for
// filled boxes, a proxy for surfaces; rotation-invariant; no frame needed.
inline double box_proxy(const Moments& m, double clearance) {
  const double inverse = 1 / m.area, grow = clearance * clearance / 3;
  Sym3 spread = m.second * inverse;
  spread.xx += grow;
  spread.yy += grow;
  spread.zz += grow;
  return 8 * std::sqrt(27 * std::max(spread.determinant(), 0.0));
}

}  // namespace hitbox::internal::primitives
