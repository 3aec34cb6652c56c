// Clusters exchange leaves while that makes their shapes deviate less in sum.
//
// Two moves: a leaf goes to a neighbouring cluster; the cluster with most to gain is split, and the pair
// of neighbours that costs least is merged for it.
// The number of clusters never grows. Clusters take turns, the worst first, so that a small budget
// goes where it matters.
#pragma once

#include <chrono>

#include "leaves.hpp"

namespace hitbox {

struct RefineLimits {
  size_t tries = 0;  // shapes that may be fitted
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

// The cluster of each leaf, before and after.
std::vector<uint32_t> refine(const MeshView& mesh, const LeafSet& set, std::vector<uint32_t> cluster_of_leaf,
                             const Shaper& shaper, const RefineLimits& limits, Run& run);

}  // namespace hitbox
