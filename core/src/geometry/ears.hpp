// Triangulates a polygon in the plane by ear clipping. Exact predicates decide every side.
//
// After G. H. Meisters, "Polygons Have Ears" (1975). A polygon of n corners always gives n - 2 triangles, and their
// outer sides are always exactly the polygon's sides, so they close a surface with this border. They tile the polygon
// if it is counter-clockwise and does not cross itself; two of its sides may coincide, as bridges to holes do. Cost:
// O(n) for convex polygons, O(n^2) for ordinary input, O(n^3) at worst.
#pragma once

#include <span>
#include <vector>

#include "base/vec2.hpp"
#include "hitbox/triangle_mesh.hpp"

namespace hitbox::internal::geometry {

// Corners 0 .. n - 1 of `polygon`, three per triangle. n is at least 3.
std::vector<Triangle> ears_of(std::span<const Vec2> polygon);

}  // namespace hitbox::internal::geometry
