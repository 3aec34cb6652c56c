// The symmetric trapezoid that a frustum turns around its axis and a prism is drawn from:
// |y| <= half_height, |z| <= the line from `bottom` at -half_height to `top` at +half_height.
#pragma once

#include "base/rooms.hpp"
#include "hitbox/vec3.hpp"

namespace hitbox::internal::shapes {

struct Trapezoid {
  double half_height, bottom, top;

  double slope() const { return half_height > 0 ? (top - bottom) / (2 * half_height) : 0; }
  double side() const { return std::sqrt((top - bottom) * (top - bottom) + 4 * half_height * half_height); }
};

// Exact, negative inside. `z` is taken as its absolute value.
double signed_distance(const Trapezoid& trapezoid, double y, double z);

// Every side moved out by `by`. A flat, wide trapezoid would become much wider than it has to, as
// its sides run out almost along its base: then a rectangle is the smaller one that does.
Trapezoid grown(const Trapezoid& trapezoid, double by);

// Every side moved in by `by`, or by what leaves `least` of the half height and of the wider half
// width. Where the slanted sides meet before they reach the narrow one, that one moves to where they
// meet: `middle` is the y of the new one's middle.
struct ShrunkTrapezoid {
  Trapezoid profile;
  double middle;
};
ShrunkTrapezoid shrunk(const Trapezoid& trapezoid, double by, double least);

}  // namespace hitbox::internal::shapes
