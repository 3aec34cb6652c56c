// A convex surface around a convex surface, of fewer vertices.
//
// After P. V. Sander, X. Gu, S. J. Gortler, H. Hoppe, J. Snyder, "Silhouette Clipping" (2000): the
// two ends of an edge are replaced by one point that sees all the facets at them and no others, so
// that the new surface is the hull of the old one and the point. Of these points the one that adds
// least volume is the answer of a linear program in three variables; the cheapest edge goes first.
// By then the surface has left behind what it was around, as each step only knows the last one. So
// at the end each vertex is moved in as far as the points let it, again by a linear program.
//
// Cutting a box by planes is the other way to do it. At a corner of planes three facets meet, at a
// vertex of triangles six: with as many vertices twice as many facets touch the points. Measured
// (greedy planes, exact cut volumes), the volume beyond the hull's is two to ten times as large.
//
// Cost: 15 to 30 us for each vertex that goes.
#pragma once

#include <cstdint>

#include "base/rooms.hpp"
#include "hitbox/triangle_mesh.hpp"

namespace hitbox::internal::geometry {

// The vertices of a convex surface around `hull` (a solid, as convex_hull gives it), at most
// `most_vertices` of them unless no edge can go any more. Vertices of the hull stick out by no more
// than 1e-9 of its diagonal for each that went.
std::vector<Vec3> progressive_hull(const TriangleMesh& hull, uint32_t most_vertices);

}  // namespace hitbox::internal::geometry
