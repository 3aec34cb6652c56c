// The faces and the vertices of each cluster, side by side in two big arrays.
#pragma once

#include <span>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/mesh.hpp"

namespace hitbox::internal::mesh {

struct Partition {
  std::vector<uint32_t> cluster_of_face;
  uint32_t cluster_count = 0;
};

class ClusterMembers {
 public:
  ClusterMembers(const MeshView& mesh, const Partition& partition);

  size_t size() const { return face_offset_.size() - 1; }
  std::span<const uint32_t> faces(size_t cluster) const {  // ascending
    return std::span(faces_).subspan(face_offset_[cluster], face_offset_[cluster + 1] - face_offset_[cluster]);
  }
  std::span<const uint32_t> vertices(size_t cluster) const {  // each once, ascending
    return std::span(vertices_).subspan(vertex_offset_[cluster], vertex_offset_[cluster + 1] - vertex_offset_[cluster]);
  }

 private:
  std::vector<uint32_t> faces_, face_offset_;
  std::vector<uint32_t> vertices_;
  std::vector<size_t> vertex_offset_;
};

}  // namespace hitbox::internal::mesh
