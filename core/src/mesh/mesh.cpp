#include "hitbox/mesh.hpp"

namespace hitbox {

Bounds referenced_bounds(const MeshView& mesh) {
  Bounds bounds;
  for (const uint32_t v : mesh.indices) bounds.add(mesh.vertices[v]);
  return bounds;
}

}  // namespace hitbox
