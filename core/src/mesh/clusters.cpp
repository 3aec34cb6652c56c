#include "mesh/clusters.hpp"

#include <algorithm>

namespace hitbox::internal::mesh {

ClusterMembers::ClusterMembers(const MeshView& mesh, const Partition& partition) {
  const size_t count = partition.cluster_count;
  face_offset_.assign(count + 1, 0);
  for (const uint32_t c : partition.cluster_of_face) ++face_offset_[c + 1];
  for (size_t c = 0; c < count; ++c) face_offset_[c + 1] += face_offset_[c];
  faces_.resize(partition.cluster_of_face.size());
  std::vector<uint32_t> next(face_offset_.begin(), face_offset_.end() - 1);
  for (uint32_t f = 0; f < faces_.size(); ++f) faces_[next[partition.cluster_of_face[f]]++] = f;

  constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint32_t> last_cluster(mesh.vertices.size(), kNone);
  vertices_.reserve(mesh.vertices.size() * 2);
  vertex_offset_.reserve(count + 1);
  vertex_offset_.push_back(0);
  for (uint32_t c = 0; c < count; ++c) {
    for (const uint32_t f : faces(c)) {
      for (const uint32_t v : mesh.face(f)) {
        if (last_cluster[v] == c) continue;
        last_cluster[v] = c;
        vertices_.push_back(v);
      }
    }
    std::sort(vertices_.begin() + static_cast<ptrdiff_t>(vertex_offset_.back()), vertices_.end());
    vertex_offset_.push_back(vertices_.size());
  }
}

}  // namespace hitbox::internal::mesh
