// Convex hulls around a mesh that leave every space open where a ball can go (paper 4).
//
// The mesh is cut until no piece enters the space. Pieces are merged, and parts are dissolved into their neighbours, as
// long as no hull enters the space. Then the result is proved. A centre that the grid missed becomes a sphere, and the
// parts around it are cut and merged again.
//
// Always holds: every face lies in the union of the hulls. No hull enters the space, unless a count forces it to; the
// result then says so. Every hull lies in the convex hull of the mesh, except for the thickness of flat parts, 1 % of
// the tolerance, and for capped hulls, 30 % of it. A mesh that is a box, ball, capsule or cylinder becomes that shape
// around it. Cost: near linear in the faces; 1-3 s for a scan at a tolerance of 1 %.
#pragma once

#include "base/rooms.hpp"
#include "hitbox/carve.hpp"

namespace hitbox::internal::carve {

// `mesh` has passed check_mesh, and the options make sense.
Result<CarveResult> carve(const MeshView& mesh, const CarveOptions& options, Run& run);

}  // namespace hitbox::internal::carve
