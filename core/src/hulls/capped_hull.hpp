// The hull of points with few vertices: around all of them, of a volume as small as it can be.
//
// In fit/ and not in geometry/ because it makes a Hull that is checked and grown like every fitted
// shape; the work is done by geometry/progressive_hull. Measured on random points, volume over that
// of the true hull for at most 8, 16, 32 and 64 vertices: docs/fit.md.
// Cost: of the points on the hull 64 take 1 ms, 500 take 11 and 2000 take 70; points inside are cheap.
#pragma once

#include <optional>
#include <span>

#include "base/rooms.hpp"
#include "hitbox/shapes/hull.hpp"

namespace hitbox::internal::hulls {

// A convex hull of at most `most_vertices` (at least 4) with no point outside: signed_distance is
// never above 0. The exact hull where that has few enough; else no larger than the bounding box if
// eight vertices are allowed. Where the points are flat it gets twice `thickness` across. Nothing
// without points, or where they are flat and `thickness` is 0.
std::optional<Hull> capped_hull(std::span<const Vec3> points, uint32_t most_vertices, double thickness);

}  // namespace hitbox::internal::hulls
