// The nodes of a merge tree with what lies below each: faces side by side, so that a node is a range.
#pragma once

#include <span>
#include <vector>

#include "fit/tree/tree.hpp"
#include "hitbox/mesh.hpp"

namespace hitbox::internal::fit {

class TreeNodes {
 public:
  explicit TreeNodes(const MergeTree& tree);  // which must outlive it

  std::span<const uint32_t> roots() const { return roots_; }
  bool is_face(uint32_t node) const { return node < tree_.face_count; }
  const Merge& children(uint32_t node) const { return tree_.merges[node - tree_.face_count]; }
  std::vector<uint32_t> faces(uint32_t node) const;  // ascending
  // The medial centres behind it; none for what is smaller than the leaves that shapes were fitted to first.
  Moments medial(uint32_t node) const;
  // The clusters that these nodes are, numbered as they come. Together they have every face once.
  Partition partition(std::span<const uint32_t> nodes) const;

 private:
  std::span<const uint32_t> range(uint32_t node) const { return std::span(faces_).subspan(first_[node], size_[node]); }

  const MergeTree& tree_;
  std::vector<uint32_t> roots_, faces_, first_, size_;
  std::vector<uint32_t> leaf_of_face_;  // the leaf whose known face this is, or none
  std::vector<uint8_t> within_leaf_;    // a node: smaller than a leaf
};

// The vertices of faces, each once, ascending.
std::vector<uint32_t> vertices_of(const MeshView& mesh, std::span<const uint32_t> faces);

}  // namespace hitbox::internal::fit
