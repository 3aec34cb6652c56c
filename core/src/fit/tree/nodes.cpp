#include "fit/tree/nodes.hpp"

#include <algorithm>

#include "fit/tree/leaves.hpp"

namespace hitbox::internal::fit {

namespace {

constexpr uint32_t kNone = UINT32_MAX;

}  // namespace

TreeNodes::TreeNodes(const MergeTree& tree) : tree_(tree) {
  const uint32_t faces = tree.face_count;
  const auto nodes = static_cast<uint32_t>(faces + tree.merges.size());
  size_.assign(nodes, 1);
  std::vector<uint8_t> has_parent(nodes);
  for (uint32_t k = faces; k < nodes; ++k) {
    const auto& [a, b, added, fills] = children(k);
    size_[k] = size_[a] + size_[b];
    has_parent[a] = has_parent[b] = 1;
  }
  first_.assign(nodes, 0);
  uint32_t next = 0;
  for (uint32_t k = 0; k < nodes; ++k) {
    if (has_parent[k]) continue;
    roots_.push_back(k);
    first_[k] = next;
    next += size_[k];
  }
  for (uint32_t k = nodes; k-- > faces;) {
    first_[children(k).a] = first_[k];
    first_[children(k).b] = first_[k] + size_[children(k).a];
  }
  faces_.resize(faces);
  for (uint32_t f = 0; f < faces; ++f) faces_[first_[f]] = f;

  leaf_of_face_.assign(faces, kNone);
  for (uint32_t k = 0; k < tree.leaf_face.size(); ++k) leaf_of_face_[tree.leaf_face[k]] = k;
  within_leaf_.assign(nodes, 0);
  const auto leaves = static_cast<uint32_t>(tree.leaf_face.size());
  for (uint32_t k = faces; k < 2 * faces - leaves; ++k)  // the merges that made leaves
    within_leaf_[children(k).a] = within_leaf_[children(k).b] = 1;
}

std::vector<uint32_t> TreeNodes::faces(uint32_t node) const {
  const auto below = range(node);
  std::vector<uint32_t> faces(below.begin(), below.end());
  std::sort(faces.begin(), faces.end());
  return faces;
}

Moments TreeNodes::medial(uint32_t node) const {
  if (within_leaf_[node]) return {};
  std::vector<uint32_t> leaves;  // in an order that does not depend on how the tree was made
  for (const uint32_t face : range(node))
    if (leaf_of_face_[face] != kNone) leaves.push_back(leaf_of_face_[face]);
  std::sort(leaves.begin(), leaves.end());
  Moments sum;
  for (const uint32_t leaf : leaves) sum = joined(sum, tree_.leaf_medial[leaf]);
  return sum;
}

Partition TreeNodes::partition(std::span<const uint32_t> nodes) const {
  Partition partition{std::vector<uint32_t>(tree_.face_count), static_cast<uint32_t>(nodes.size())};
  for (uint32_t k = 0; k < nodes.size(); ++k)
    for (const uint32_t face : range(nodes[k])) partition.cluster_of_face[face] = k;
  return partition;
}

std::vector<uint32_t> vertices_of(const MeshView& mesh, std::span<const uint32_t> faces) {
  std::vector<uint32_t> vertices;
  for (const uint32_t f : faces) vertices.insert(vertices.end(), mesh.face(f).begin(), mesh.face(f).end());
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return vertices;
}

}  // namespace hitbox::internal::fit
