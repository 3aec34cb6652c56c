// The symmetric trapezoid that is the profile of a frustum and the cross section of a prism: |y| <= half_height, |z| <=
// the line from `bottom` at -half_height to `top` at +half_height.
#pragma once

#include "base/rooms.hpp"
#include "hitbox/vec3.hpp"

namespace hitbox::internal::shapes {

struct Trapezoid {
  double half_height, bottom, top;

  double slope() const { return half_height > 0 ? (top - bottom) / (2 * half_height) : 0; }
  double side() const { return std::sqrt((top - bottom) * (top - bottom) + 4 * half_height * half_height); }
};

// The exact distance, negative inside. The sign of `z` does not matter.
double signed_distance(const Trapezoid& trapezoid, double y, double z);

// The point of the trapezoid that is nearest to (y, z), which is that point itself if it is inside.
struct TrapezoidPoint {
  double y, z;
};
TrapezoidPoint nearest(const Trapezoid& trapezoid, double y, double z);

// Moves every side out by `by`. A flat, wide trapezoid would become much wider than necessary, because its sides run
// out almost along its base. A rectangle is then smaller and encloses it, too.
Trapezoid grown(const Trapezoid& trapezoid, double by);

// Moves every side in by `by`, or by the length that leaves `least` of the half height and of the wider half width. If
// the slanted sides meet before they reach the narrow side, that side moves to their intersection. `middle` is the y of
// the new centre.
struct ShrunkTrapezoid {
  Trapezoid profile;
  double middle;
};
ShrunkTrapezoid shrunk(const Trapezoid& trapezoid, double by, double least);

}  // namespace hitbox::internal::shapes
