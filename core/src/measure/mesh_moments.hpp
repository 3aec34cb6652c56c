// Volume, centre and second moments of a closed mesh: exact, up to rounding.
//
// A mesh has one volume if it is a closed solid (measure/inside) and its shells, the closed surfaces that it consists
// of, are apart or nested: material and cavity in turn. Cost: linear; nested shells are compared corner by corner.
#pragma once

#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"
#include "measure/moments.hpp"

namespace hitbox::internal::measure {

enum class VolumeFault : uint8_t { none, open, overlapping };

// Shells lie in each other as far as their corners and the middles of their triangles tell. A shell of less than 1e-9
// of the volume may lie anywhere.
VolumeFault volume_fault(const MeshView& mesh, Run& run);

// The moments of a mesh without such a fault.
Moments mesh_moments(const MeshView& mesh, Run& run);

}  // namespace hitbox::internal::measure
