// Volume, centre and second moments of solids, and how those of parts are joined.
#pragma once

#include <array>
#include <span>

#include "base/mat3.hpp"
#include "hitbox/vec3.hpp"

namespace hitbox::internal::measure {

// The moments of a solid of density 1. The inertia tensor about the centre is trace(about) times the unit matrix less
// `about`.
struct Moments {
  double volume = 0;
  Vec3 center;
  Sym3 about;  // the integral of x x^T, with x seen from the centre: far from the origin no digits are lost
};

// A part of a solid, seen from a point of its own.
struct MomentsPart {
  double volume = 0;
  Vec3 first;   // the integral of x, with x seen from `at`
  Sym3 second;  // that of x x^T
  Vec3 at;
};

inline MomentsPart operator+(const MomentsPart& a, const MomentsPart& b) {  // of one `at`
  return {a.volume + b.volume, a.first + b.first, a.second + b.second, a.at};
}

// The signed integrals over the tetrahedron between a triangle and the origin, seen from there.
MomentsPart tetrahedron_part(const std::array<Vec3, 3>& corners);

// Parts are summed in their order. Their points `at` are seen from `origin`.
Moments joined(std::span<const MomentsPart> parts, const Vec3& origin);

}  // namespace hitbox::internal::measure
