// The mesh in the form that carving uses: of size 1, welded, with components, concave edges, and a flag for solids.
#pragma once

#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"
#include "parts/piece.hpp"

namespace hitbox::internal::carve {

// Triangles have the order of their faces. `surface` is their tree.
Input carve_input(const MeshView& unit_mesh, const TriangleBvh& surface, double thickness, Run& run);

}  // namespace hitbox::internal::carve
