// Exact orientation predicates: on which side a point lies.
//
// After J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates" (1997): a
// filtered determinant first, and expansions (sums of doubles that do not overlap) if the filter cannot decide.
//
// Exact if every coordinate is 0 or has a magnitude in [kExactLow, kExactHigh]: in this range no product of three
// differences overflows or loses a bit to underflow. This needs round-to-nearest, which the language guarantees, and
// -ffp-contract=off, which the build sets.
//
// Cost: about 5 ns if the filter decides, up to 1 us for (nearly) coplanar points.
#pragma once

#include "base/vec2.hpp"
#include "hitbox/vec3.hpp"

namespace hitbox::internal::geometry {

constexpr double kExactLow = 0x1p-280, kExactHigh = 0x1p330;

// The power of two that scales `largest` (positive, finite) to just below kExactHigh. The multiplication is exact for
// all coordinates that stay in range.
double exact_scale(double largest);

// `value * scale`, or 0 below the exact range. Its lower end is 1e-183 of the largest coordinate, far below the
// resolution of doubles for their difference.
inline double scaled_exactly(double value, double scale) {
  const double scaled = value * scale;
  return std::abs(scaled) < kExactLow ? 0.0 : scaled;
}

// +1 if a, b, c turn counter-clockwise, -1 if clockwise, 0 if they are collinear.
int orient2d(const Vec2& a, const Vec2& b, const Vec2& c);

// +1 if d lies on the side of the plane a b c that (b - a) x (c - a) points to (seen from there a, b, c turn
// counter-clockwise), -1 on the other side, 0 in the plane.
int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

// True if a, b, c lie on one line.
bool are_collinear(const Vec3& a, const Vec3& b, const Vec3& c);

// An upper bound of the rounding error of dot(cross(u, v), w) for computed differences u, v, w,
// where `permanent` is the same sum with all terms positive (Shewchuk's o3derrboundA).
constexpr double kOrient3dError = (7 + 56 * 0x1p-53) * 0x1p-53;

}  // namespace hitbox::internal::geometry
