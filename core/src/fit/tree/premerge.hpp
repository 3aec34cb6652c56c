// The first merges, by moments alone, from all faces down to a few thousand leaves. It uses rounds of matching instead
// of a queue: each cluster finds its cheapest neighbour, cheap mutual pairs merge, and so on. It is near linear, and
// the same for any number of threads.
#pragma once

#include <span>
#include <vector>

#include "fit/tree/tree.hpp"
#include "hitbox/run.hpp"
#include "mesh/adjacency.hpp"

namespace hitbox::internal::fit {

struct Premerged {
  std::vector<uint32_t> node_of_leaf;   // each leaf's node in the tree
  std::vector<FacePair> edges;          // between leaves of one group, without repetitions
  std::vector<uint32_t> group_of_leaf;  // empty if faces have no groups
};

// Starts from the tree's simple parts, which are already merged, and single faces. Merges until `leaf_count` clusters
// are left, and records into `tree`. If the mesh has more connected components than that, nearby ones are merged too.
// No cluster gets a volume (by its moments) above `volume_limit`, even if that leaves more clusters, or faces of two
// groups: `group_of_face` is empty, or has one entry per face, and `edges` connect faces of one group.
Premerged premerge(const MeshView& mesh, std::vector<FacePair> edges, std::span<const uint32_t> group_of_face,
                   size_t leaf_count, double volume_limit, MergeTree& tree, Run& run);

}  // namespace hitbox::internal::fit
