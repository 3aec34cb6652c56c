// The numbers that describe a mesh, as `hitbox info` prints them.
//
// Edges, components and volume are those of the mesh with equal vertices welded, because files split vertices at
// invisible seams. Cost: linear, about 0.4 s per million triangles.
#pragma once

#include <optional>

#include "mesh/clean.hpp"

namespace hitbox::internal::mesh {

struct MeshInfo {
  size_t vertices = 0, faces = 0;
  size_t triangles = 0, quads = 0, larger = 0;  // faces by their corners
  size_t parts = 0, materials = 0;              // used by faces; 0 if the mesh has no names
  CleanReport cleaning;                         // the effect of welding exactly equal vertices
  size_t components = 0;                        // connected by shared vertices, after welding
  size_t components_by_index = 0;               // before welding
  size_t edges = 0;
  size_t boundary_edges = 0;      // with one face
  size_t nonmanifold_edges = 0;   // with more than two faces
  size_t inconsistent_edges = 0;  // with two faces that traverse it in the same direction
  // Every edge is traversed equally often in both directions, which defines an inside.
  bool closed = false;
  std::optional<double> volume;  // of a closed mesh; negative if its faces look inward
  double area = 0;
  Bounds bounds;  // of used vertices
  double diagonal = 0;
};

// `mesh` has passed check_mesh; `part_of_face` and `material_of_face` may be empty.
MeshInfo info_of(const MeshView& mesh, std::span<const uint32_t> part_of_face,
                 std::span<const uint32_t> material_of_face);

}  // namespace hitbox::internal::mesh
