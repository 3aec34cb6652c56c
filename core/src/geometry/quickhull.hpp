// The solid case of convex_hull: not for use by itself.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/triangle_mesh.hpp"

namespace hitbox::internal::geometry {

// Outward triangles over `points` (finite, in the exact range), starting from four of them that
// are not coplanar. Only extreme points are corners; coplanar facets are triangulated as fans
// around their lexicographically smallest corner.
std::vector<Triangle> quickhull(std::span<const Vec3> points, std::array<uint32_t, 4> simplex);

// The same surface as it was found: coplanar triangles are not merged, and their corners need not be extreme.
std::vector<Triangle> quickhull_unmerged(std::span<const Vec3> points, std::array<uint32_t, 4> simplex);

}  // namespace hitbox::internal::geometry
