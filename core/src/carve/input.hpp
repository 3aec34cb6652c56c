// The mesh in the form that carving uses: of size 1, welded, with components, concave edges, and a flag for solids.
#pragma once

#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"
#include "parts/piece.hpp"

namespace hitbox::internal::carve {

// Maps the input to coordinates in which the longest side of its box is 1, and back.
struct UnitBox {
  Vec3 origin;
  double side = 1;

  explicit UnitBox(const Bounds& box) : origin(box.low), side(max_component(box.size())) {}
  Vec3 to_unit(const Vec3& p) const { return (p - origin) / side; }
  Vec3 from_unit(const Vec3& p) const { return origin + p * side; }
};

struct UnitMesh {
  std::vector<Vec3> vertices;
  std::vector<uint32_t> indices, offsets;

  UnitMesh(const MeshView& mesh, const UnitBox& unit);
  MeshView view() const { return {vertices, indices, offsets}; }
};

// Triangles have the order of their faces. `surface` is their tree.
Input carve_input(const MeshView& unit_mesh, const TriangleBvh& surface, double thickness, Run& run);

}  // namespace hitbox::internal::carve
