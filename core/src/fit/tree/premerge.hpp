// First merges, by moments alone, from all faces down to a few thousand leaves. Rounds of
// matching instead of a queue: each cluster notes its cheapest neighbour, cheap mutual pairs
// merge, and so on. Near linear; the same for any number of threads.
#pragma once

#include <span>
#include <vector>

#include "fit/tree/tree.hpp"
#include "hitbox/run.hpp"
#include "mesh/adjacency.hpp"

namespace hitbox::internal::fit {

struct Premerged {
  std::vector<uint32_t> node_of_leaf;   // the leaf's node in the tree
  std::vector<FacePair> edges;          // between leaves of one group; each once
  std::vector<uint32_t> group_of_leaf;  // empty where faces have no groups
};

// Starts from the tree's simple parts, which are merged already, and single faces. Merges until `leaf_count`
// clusters are left, recording into `tree`; where the mesh falls apart into more components than that, near
// ones are joined too. No cluster gets a volume (by its moments) above `volume_limit`, even if that leaves more of
// them, nor faces of two groups: `group_of_face` is empty, or one a face, and `edges` join faces of one group.
Premerged premerge(const MeshView& mesh, std::vector<FacePair> edges, std::span<const uint32_t> group_of_face,
                   size_t leaf_count, double volume_limit, MergeTree& tree, Run& run);

}  // namespace hitbox::internal::fit
