// A binary tree over clusters by their medial centres (Ward's linkage). Its nodes are clusters around the same part of
// the medial axis: rings and limbs, which merging along the surface does not find.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hitbox/run.hpp"
#include "mesh/adjacency.hpp"
#include "primitives/moments.hpp"

namespace hitbox::internal::fit {

// The merges in order: items are 0 .. size - 1, merge k makes node size + k. Items without medial centres (without
// area) are left out. Items of different groups are never merged. Cost: O(n log n).
std::vector<FacePair> medial_tree(std::span<const Moments> medial, std::span<const uint32_t> group, Run& run);

}  // namespace hitbox::internal::fit
