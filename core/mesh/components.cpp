#include "components.hpp"

#include <numeric>

namespace hitbox {

DisjointSets::DisjointSets(size_t size) : parent_(size) {
  std::iota(parent_.begin(), parent_.end(), 0u);
}

Components components_of(const MeshView& mesh) {
  DisjointSets sets(mesh.vertices.size());
  const size_t faces = mesh.face_count();
  for (size_t f = 0; f < faces; ++f) {
    const auto corners = mesh.face(f);
    for (size_t k = 1; k < corners.size(); ++k) sets.unite(corners[0], corners[k]);
  }
  constexpr uint32_t kNone = 0xffffffffu;
  std::vector<uint32_t> number(mesh.vertices.size(), kNone);
  Components result;
  result.of_face.resize(faces);
  for (size_t f = 0; f < faces; ++f) {
    uint32_t& of_root = number[sets.find(mesh.face(f)[0])];
    if (of_root == kNone) of_root = static_cast<uint32_t>(result.count++);
    result.of_face[f] = of_root;
  }
  return result;
}

}  // namespace hitbox
