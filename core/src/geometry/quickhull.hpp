// The solid case of convex_hull. Do not use it directly.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/triangle_mesh.hpp"

namespace hitbox::internal::geometry {

// Outward triangles over `points` (finite, in the exact range), starting from four points that are not coplanar. Only
// extreme points are corners. Coplanar facets become fans around their lexicographically smallest corner.
std::vector<Triangle> quickhull(std::span<const Vec3> points, std::array<uint32_t, 4> simplex);

// The same surface without merging coplanar triangles, whose corners need not be extreme.
std::vector<Triangle> quickhull_unmerged(std::span<const Vec3> points, std::array<uint32_t, 4> simplex);

}  // namespace hitbox::internal::geometry
