// fit: convex primitive decomposition (paper 1, and beyond). A mesh goes in, at most `count` shapes
// come out, each input face inside at least one of them.
#pragma once

#include "fit/input.hpp"
#include "fit/tree/tree.hpp"

namespace hitbox::internal::fit {

// At most `count` shapes, or more where an option forbids further merges.
FitResult fit(const FitInput& input, uint32_t count, Run& run);
FitResult fit_unpadded(const FitInput& input, uint32_t count, Run& run);

// All merges from single faces down to one cluster (one a group, where faces have groups), or as far
// as `max_excess` lets them go; fine enough for `finest` shapes.
MergeTree build_tree(const FitInput& input, uint32_t finest, Run& run);

// The shapes around the clusters that are left after the first `merge_count` merges of the tree.
FitResult shapes_after(const FitInput& input, const MergeTree& tree, size_t merge_count, Run& run);

}  // namespace hitbox::internal::fit
