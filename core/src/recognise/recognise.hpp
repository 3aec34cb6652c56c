// Recognises a part that is one simple shape: a box, ball, capsule, cylinder, prism or (truncated) cone, for any
// tessellation.
//
// The mesh must lie on the surface of a shape around it, and cover all of that surface. Coarse tessellations of round
// shapes are allowed: facets may lie below the surface, but the corners where they meet may not. A tube, an open box
// and a cube with a dent are not simple shapes. Cost: about a microsecond per face for a simple shape, a fraction of
// that otherwise.
#pragma once

#include <optional>

#include "mesh/directions.hpp"
#include "primitives/candidates.hpp"

namespace hitbox::internal::recognise {

// `part` is connected and uses all its vertices. Only kinds that `kinds` allows are tried. The shape contains all
// vertices, and its cost is its plain volume. `thickness` is the least half extent or radius.
std::optional<Fitted> recognise(const MeshView& part, const FaceDirections& directions,
                                const std::array<bool, kPrimitiveCount>& kinds, double thickness, Run& run);

// Recognises a part that is convex, except for dents of 0.2 % of its diagonal. Its hull has at most `most_vertices`,
// contains all of its vertices, is nowhere thinner than 2 x `thickness`, and is at most 0.5 % larger than the part
// (except for that thickness). Parts of more than 1024 corners are round, and are not tried.
struct ConvexPart {
  Hull hull;
  Fitted box;  // a small box around the hull, used where a primitive must replace it; its volume is the hull's
};
std::optional<ConvexPart> recognise_convex(const MeshView& part, const FaceDirections& directions,
                                           uint32_t most_vertices, double thickness, Run& run);

// The volume that the faces enclose; negative if they face inward. It means little for an open part.
double signed_volume(const MeshView& part);

}  // namespace hitbox::internal::recognise
