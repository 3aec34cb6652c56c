// The convex hull of points: exact, or with few vertices.
#pragma once

#include <cstdint>
#include <span>

#include "hitbox/result.hpp"
#include "hitbox/shapes/hull.hpp"

namespace hitbox {

// The exact hull: its vertices are points of the input, and no point is strictly outside a triangle. The hull of points
// in a plane is flat: a polygon with a front and a back. An Error without points, for points on a line, or for a
// coordinate that is not finite.
Result<Hull> convex_hull(std::span<const Vec3> points);

// A hull of at most `max_vertices` (4 or more) around all points, with a volume as small as possible: no point is
// outside. It is the exact hull if that has few enough vertices. The hull of points in a plane or on a line is
// 2 x `thickness` thick, and an Error if `thickness` is 0.
Result<Hull> capped_hull(std::span<const Vec3> points, uint32_t max_vertices, double thickness = 0);

}  // namespace hitbox
