// fit: convex primitive decomposition (paper 1, with extensions). It turns a mesh into at most `count` shapes, and each
// input face lies in at least one of them.
#pragma once

#include "fit/input.hpp"
#include "fit/tree/tree.hpp"

namespace hitbox::internal::fit {

// At most `count` shapes, or more if an option forbids further merges.
FitResult fit(const FitInput& input, uint32_t count, Run& run);
FitResult fit_unpadded(const FitInput& input, uint32_t count, Run& run);

// All merges from single faces down to one cluster (or one per group), or as far as `max_excess` allows, fine enough
// for `finest` shapes.
MergeTree build_tree(const FitInput& input, uint32_t finest, Run& run);

// The shapes around the clusters after the first `merge_count` merges of the tree.
FitResult shapes_after(const FitInput& input, const MergeTree& tree, size_t merge_count, Run& run);

}  // namespace hitbox::internal::fit
