// A convex surface around a convex surface, of fewer vertices.
//
// After P. V. Sander, X. Gu, S. J. Gortler, H. Hoppe, J. Snyder, "Silhouette Clipping" (2000): the
// two ends of an edge are replaced by one point that sees all the facets at them and no others, so
// that the new surface is the hull of the old one and the point. Of these points the one that adds
// least volume is the answer of a linear program in three variables; the cheapest edge goes first.
// Each surface encloses the one before: fewer vertices never give less volume.
//
// Planes alone would do too, but one that is cut off flat by planes has three facets a vertex at
// most, one that is put together from points six: of a ball, the same number of vertices then adds
// a third of the volume.
//
// Cost: about 3 us an edge that is looked at, some six of them for each vertex that goes.
#pragma once

#include <cstdint>

#include "triangle_mesh.hpp"

namespace hitbox {

// The vertices of a surface around `hull` (solid and convex, as convex_hull gives it), at most
// `most_vertices` of them unless no edge can go any more. Encloses `hull` up to 1e-9 of its diagonal
// for each vertex that went.
std::vector<Vec3> progressive_hull(const TriangleMesh& hull, uint32_t most_vertices);

}  // namespace hitbox
