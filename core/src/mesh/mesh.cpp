#include "mesh/mesh.hpp"

namespace hitbox {

using namespace internal::mesh;

Bounds referenced_bounds(const MeshView& mesh) {
  Bounds bounds;
  for (const uint32_t v : mesh.indices) bounds.add(mesh.vertices[v]);
  return bounds;
}

}  // namespace hitbox
