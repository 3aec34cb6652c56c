// The smallest ball around points, and the smallest circle in a plane.
//
// After B. Gaertner, "Fast and Robust Smallest Enclosing Balls" (1999): at most four points define the ball. The point
// furthest outside joins them, and the best ball of these five is found by trying all subsets. The radius grows with
// every step, so duplicates and cospherical points cannot make it cycle.
//
// Always holds: all points are inside. The radius is within 1e-12 (relative) of the smallest.
// Cost: a few passes over the points.
#pragma once

#include <span>

#include "base/vec2.hpp"
#include "hitbox/vec3.hpp"

namespace hitbox::internal::geometry {

struct Ball {
  Vec3 center;
  double radius = 0;
};
struct Circle {
  Vec2 center;
  double radius = 0;
};

// At least one point, all finite, with magnitudes below 1e300.
Ball min_ball(std::span<const Vec3> points);
Circle min_circle(std::span<const Vec2> points);

}  // namespace hitbox::internal::geometry
