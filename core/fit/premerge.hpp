// First merges, by moments alone, from all faces down to a few thousand leaves. Rounds of
// matching instead of a queue: each cluster notes its cheapest neighbour, cheap mutual pairs
// merge, and so on. Near linear; the same for any number of threads.
#pragma once

#include <vector>

#include "../base/run.hpp"
#include "../mesh/adjacency.hpp"
#include "tree.hpp"

namespace hitbox {

struct Premerged {
  std::vector<uint32_t> node_of_leaf;  // the leaf's node in the tree
  std::vector<FacePair> edges;         // between leaves; each once
};

// Merges until `leaf_count` clusters are left, recording into `tree`; where the mesh falls apart
// into more components than that, near ones are joined too. No cluster gets a volume (by its
// moments) above `volume_limit`, even if that leaves more of them.
Premerged premerge(const MeshView& mesh, std::vector<FacePair> edges, size_t leaf_count,
                   double volume_limit, MergeTree& tree, Run& run);

}  // namespace hitbox
