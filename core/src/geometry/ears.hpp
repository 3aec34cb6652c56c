// Ear clipping: a polygon in the plane as triangles. Every side is decided by exact predicates.
//
// After G. H. Meisters, "Polygons Have Ears" (1975). A polygon of n corners always gives n - 2 triangles, and their
// outer sides are always exactly the polygon's sides, so what is closed by them is closed. They tile the polygon if it
// turns counter-clockwise and does not cross itself; two of its sides may lie on each other, as bridges to holes do.
// Cost: O(n) for convex polygons, O(n^2) on sane input, O(n^3) at worst.
#pragma once

#include <span>
#include <vector>

#include "base/vec2.hpp"
#include "hitbox/triangle_mesh.hpp"

namespace hitbox::internal::geometry {

// Corners 0 .. n - 1 of `polygon`, three per triangle. n is at least 3.
std::vector<Triangle> ears_of(std::span<const Vec2> polygon);

}  // namespace hitbox::internal::geometry
