// Coordinates in which the longest side of a mesh's bounding box is 1 and its low corner is 0.
#pragma once

#include <vector>

#include "base/rooms.hpp"
#include "hitbox/bounds.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/shapes/interface.hpp"

namespace hitbox::internal::space {

struct UnitBox {
  Vec3 origin;
  double side = 1;

  explicit UnitBox(const Bounds& box) : origin(box.low), side(max_component(box.size())) {}
  Vec3 to_unit(const Vec3& p) const { return (p - origin) / side; }
  Vec3 from_unit(const Vec3& p) const { return origin + p * side; }
  Similarity to_unit() const { return {{}, -origin / side, 1 / side}; }
  Similarity from_unit() const { return {{}, origin, side}; }
};

struct UnitMesh {
  std::vector<Vec3> vertices;
  std::vector<uint32_t> indices, offsets;

  UnitMesh(const MeshView& mesh, const UnitBox& unit)
      : indices(mesh.indices.begin(), mesh.indices.end()), offsets(mesh.offsets.begin(), mesh.offsets.end()) {
    vertices.reserve(mesh.vertices.size());
    for (const Vec3& p : mesh.vertices) vertices.push_back(unit.to_unit(p));
  }
  MeshView view() const { return {vertices, indices, offsets}; }
};

}  // namespace hitbox::internal::space
