// The mass of a mesh or of shapes as a rigid body.
#pragma once

#include <array>
#include <span>

#include "hitbox/mesh.hpp"
#include "hitbox/result.hpp"
#include "hitbox/run.hpp"
#include "hitbox/shapes.hpp"

namespace hitbox {

struct MassProperties {
  double volume = 0, mass = 0;
  Vec3 center;
  std::array<double, 6> inertia = {};  // the tensor about `center`: xx, yy, zz, xy, xz, yz
};

// Of a closed mesh, exact up to rounding. `density` is mass per cubic unit of the mesh. An Error if the mesh is open,
// or if its shells overlap, because it then has no single volume.
Result<MassProperties> mass_properties(const MeshView& mesh, double density, Run& run);

// Of the union of shapes, where overlaps count once. Exact for shapes that do not overlap or are equal. Shapes that
// overlap in part are sampled, with an error of about 0.1 % in the inertia of 64 shapes.
Result<MassProperties> mass_properties(std::span<const Shape> shapes, double density, Run& run);

}  // namespace hitbox
