// Which clusters lie around the same piece of a solid's middle: a binary tree over them by their
// medial centres (Ward's linkage). Its nodes are rings and limbs, which merging along the surface
// does not come by.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hitbox/run.hpp"
#include "mesh/adjacency.hpp"
#include "primitives/moments.hpp"

namespace hitbox::internal::fit {

// Merges in order: items are 0 .. size - 1, merge k makes node size + k. Items without medial centres
// (no area) are left out, and those of different groups are never merged. O(n log n).
std::vector<FacePair> medial_tree(std::span<const Moments> medial, std::span<const uint32_t> group, Run& run);

}  // namespace hitbox::internal::fit
