// What every public call does to a mesh first.
#pragma once

#include "mesh/clean.hpp"

namespace hitbox::api {

// The mesh without unused vertices and with equal ones welded, or what is wrong with it. Faces keep their numbers.
inline Result<internal::mesh::CleanedMesh> checked_and_welded(const MeshView& mesh, Run& run) {
  if (const auto bounds = internal::mesh::check_mesh(mesh, "mesh"); !bounds) return bounds.error();
  return internal::mesh::clean(mesh, {}, "mesh", run);
}

}  // namespace hitbox::api
