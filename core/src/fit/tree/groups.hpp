// Shapes that hold many leaves at once, found by looking at the solid rather than along its surface.
//
// Pairs of neighbours never lead to the ring around a tube: its first merges cost more than making
// plates does, and only the whole ring is cheap. So candidates are nodes of a tree over medial
// centres (medial_tree.hpp), judged by what the same leaves cost in a merging of pairs, where each
// shape also has the price that merging pays to save one at that point. Groups save shapes, so
// that the rest can be merged less: the point is sought where both together make `count`.
#pragma once

#include "fit/tree/leaves.hpp"
#include "fit/tree/merge.hpp"

namespace hitbox::internal::fit {

struct LeafGroup {
  std::vector<uint32_t> leaves;
  Fitted shape;
};

// The disjoint groups that save most, if any do. `pairs`: merged down to `count` clusters or fewer.
std::vector<LeafGroup> find_groups(const MeshView& mesh, const LeafSet& set, const MergeHistory& pairs, size_t count,
                                   const Shaper& shaper, Run& run);

// Makes each group one leaf, with its shape; records that in the tree.
LeafSet with_groups(const MeshView& mesh, const LeafSet& set, std::span<const LeafGroup> groups, MergeTree& tree);

}  // namespace hitbox::internal::fit
