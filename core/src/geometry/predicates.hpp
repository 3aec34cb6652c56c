// On which side a point lies, decided exactly.
//
// After J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
// Predicates" (1997): a filtered determinant first, expansions (sums of doubles that do not
// overlap) where the filter cannot tell.
//
// Exact where every coordinate is 0 or has a magnitude in [kExactLow, kExactHigh]: within it no
// product of three differences overflows or loses a bit to underflow. Needs round-to-nearest and
// -ffp-contract=off, both of which the build and the language give.
//
// Cost: about 5 ns where the filter decides, up to 1 us where the points are (nearly) coplanar.
#pragma once

#include "base/vec2.hpp"
#include "hitbox/vec3.hpp"

namespace hitbox::internal::geometry {

constexpr double kExactLow = 0x1p-280, kExactHigh = 0x1p330;

// The power of two that brings `largest` (positive, finite) just below kExactHigh. Multiplying by
// it is exact for all coordinates that stay in range.
double exact_scale(double largest);

// `value * scale`, and 0 for what would leave the exact range at its lower end: 1e-183 of the
// largest coordinate, far below anything a double can say about their difference.
inline double scaled_exactly(double value, double scale) {
  const double scaled = value * scale;
  return std::abs(scaled) < kExactLow ? 0.0 : scaled;
}

// +1 if a, b, c turn counter-clockwise, -1 if clockwise, 0 if they are collinear.
int orient2d(const Vec2& a, const Vec2& b, const Vec2& c);

// +1 if d lies on the side of the plane a b c to which (b - a) x (c - a) points (from there a, b,
// c turn counter-clockwise), -1 on the other side, 0 in the plane.
int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

// True if a, b, c lie on one line.
bool are_collinear(const Vec3& a, const Vec3& b, const Vec3& c);

// An upper bound of the rounding error of dot(cross(u, v), w) for computed differences u, v, w,
// where `permanent` is the same sum with all terms positive (Shewchuk's o3derrboundA).
constexpr double kOrient3dError = (7 + 56 * 0x1p-53) * 0x1p-53;

}  // namespace hitbox::internal::geometry
