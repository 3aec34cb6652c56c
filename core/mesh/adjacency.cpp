#include "adjacency.hpp"

#include "edges.hpp"

namespace hitbox {

std::vector<FacePair> face_pairs(const MeshView& mesh) {
  const std::vector<EdgeUse> uses = sorted_edge_uses(mesh);
  std::vector<FacePair> pairs;
  pairs.reserve(uses.size() / 2);
  for (size_t k = 1; k < uses.size(); ++k) {
    const EdgeUse &before = uses[k - 1], &use = uses[k];
    const bool same_edge = use.low == before.low && use.high == before.high;
    if (same_edge && use.face != before.face) pairs.push_back({before.face, use.face});
  }
  return pairs;
}

}  // namespace hitbox
