// Shapes that contain many leaves at once, found through the solid instead of along its surface.
//
// Merging pairs of neighbours never finds the ring around a tube, because its first merges cost more than plates and
// only the whole ring is cheap. So the candidates are the nodes of a tree over medial centres (medial_tree.hpp). Each
// is compared with the cost of the same leaves when merged in pairs, where each shape also counts at the price that
// merging pays to save one at that point. Groups save shapes, so the rest can be merged less. The search finds the
// point where both together make `count`.
#pragma once

#include "fit/tree/leaves.hpp"
#include "fit/tree/merge.hpp"

namespace hitbox::internal::fit {

struct LeafGroup {
  std::vector<uint32_t> leaves;
  Fitted shape;
};

// The disjoint groups that save most, if any. `pairs` is a merging down to `count` clusters or fewer.
std::vector<LeafGroup> find_groups(const MeshView& mesh, const LeafSet& set, const MergeHistory& pairs, size_t count,
                                   const Shaper& shaper, Run& run);

// Makes each group one leaf with its shape, and records that in the tree.
LeafSet with_groups(const MeshView& mesh, const LeafSet& set, std::span<const LeafGroup> groups, MergeTree& tree);

}  // namespace hitbox::internal::fit
