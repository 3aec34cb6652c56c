// The nodes of a merge tree with the faces below them, stored so that a node is a range.
#pragma once

#include <span>
#include <vector>

#include "fit/tree/tree.hpp"
#include "hitbox/mesh.hpp"

namespace hitbox::internal::fit {

class TreeNodes {
 public:
  explicit TreeNodes(const MergeTree& tree);  // `tree` must outlive it

  std::span<const uint32_t> roots() const { return roots_; }
  bool is_face(uint32_t node) const { return node < tree_.face_count; }
  const Merge& children(uint32_t node) const { return tree_.merges[node - tree_.face_count]; }
  std::vector<uint32_t> faces(uint32_t node) const;  // ascending
  // The medial centres behind a node; none for nodes below the leaves.
  Moments medial(uint32_t node) const;
  // The clusters of these nodes, numbered in their order. Together they have every face once.
  Partition partition(std::span<const uint32_t> nodes) const;

 private:
  std::span<const uint32_t> range(uint32_t node) const { return std::span(faces_).subspan(first_[node], size_[node]); }

  const MergeTree& tree_;
  std::vector<uint32_t> roots_, faces_, first_, size_;
  std::vector<uint32_t> leaf_of_face_;  // the leaf with this face as its first face, or none
  std::vector<uint8_t> within_leaf_;    // per node: below a leaf
};

// The vertices of faces, ascending, without repetitions.
std::vector<uint32_t> vertices_of(const MeshView& mesh, std::span<const uint32_t> faces);

}  // namespace hitbox::internal::fit
