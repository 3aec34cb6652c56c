// A part that is one simple shape already: a box, ball, capsule, cylinder, prism or (cut) cone,
// however it is tessellated.
//
// It is one if the mesh lies on the surface of a shape around it, and leaves nothing of that
// surface bare. What makes round shapes coarse is allowed: facets may lie below the surface, but
// the corners where they meet may not. A tube, an open box or a cube with a dent is none of these.
// Cost: about a microsecond a face where it is one, a fraction of that where it is not.
#pragma once

#include <optional>

#include "mesh/directions.hpp"
#include "primitives/candidates.hpp"

namespace hitbox::internal::recognise {

// `part` hangs together, and uses all its vertices. Only kinds that `kinds` allows. The shape holds
// all vertices, and has its plain volume as its cost. `thickness`: smallest half extent or radius.
std::optional<Fitted> recognise(const MeshView& part, const FaceDirections& directions,
                                const std::array<bool, kPrimitiveCount>& kinds, double thickness, Run& run);

// A part that is convex, but for dents of 0.2 % of its diagonal, with a hull of at most `most_vertices` that holds all
// of its vertices, is nowhere thinner than twice `thickness`, and no more than 0.5 % larger than the part (but for what
// that thickness takes). Parts of more than 1024 corners are round, and none of these.
struct ConvexPart {
  Hull hull;
  Fitted box;  // a small one around the hull, where a primitive is wanted in its place; its volume is the hull's
};
std::optional<ConvexPart> recognise_convex(const MeshView& part, const FaceDirections& directions,
                                           uint32_t most_vertices, double thickness, Run& run);

// What the faces enclose, as seen from outside; negative if they look inward. Of an open part it
// says little.
double signed_volume(const MeshView& part);

}  // namespace hitbox::internal::recognise
