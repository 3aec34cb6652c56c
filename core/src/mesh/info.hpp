// What a mesh is made of: the numbers that `hitbox info` prints.
//
// Edges, components and volume are those of the mesh with equal vertices welded: files split
// vertices at seams that no one can see. Cost: linear, about 0.4 s a million triangles.
#pragma once

#include <optional>

#include "mesh/clean.hpp"

namespace hitbox::internal::mesh {

struct MeshInfo {
  size_t vertices = 0, faces = 0;
  size_t triangles = 0, quads = 0, larger = 0;  // faces by their corners
  size_t parts = 0, materials = 0;              // that faces use; 0 where the mesh has no names
  CleanReport cleaning;                         // what welding exactly equal vertices would do
  size_t components = 0;                        // through shared vertices, after welding
  size_t components_by_index = 0;               // before
  size_t edges = 0;
  size_t boundary_edges = 0;      // one face
  size_t nonmanifold_edges = 0;   // more than two faces
  size_t inconsistent_edges = 0;  // two faces that run along it the same way
  // Every edge is passed as often one way as the other: only then there is an inside.
  bool closed = false;
  std::optional<double> volume;  // of a closed mesh; negative if its faces look inward
  double area = 0;
  Bounds bounds;  // of vertices that faces use
  double diagonal = 0;
};

// `mesh` has passed check_mesh; `part_of_face` and `material_of_face` may be empty.
MeshInfo info_of(const MeshView& mesh, std::span<const uint32_t> part_of_face,
                 std::span<const uint32_t> material_of_face);

}  // namespace hitbox::internal::mesh
