// Greedy merging (paper 1, Alg. 1): repeatedly merges the two neighbouring clusters whose common shape adds least. It
// works on leaves from premerge, or on single faces.
#pragma once

#include "fit/tree/leaves.hpp"
#include "fit/tree/tree.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"

namespace hitbox::internal::fit {

struct MergeLimits {
  size_t count = 1;                       // stops at this number of clusters
  double max_excess = Bounds::kInfinity;  // limit for the volume that one merge adds
};

// The steps of merging, in order. Leaves are clusters 0 .. leaf_count - 1, step k makes cluster leaf_count + k.
struct MergeHistory {
  struct Step {
    uint32_t a, b;
    double added;  // increase of the total cost
    double price;  // the increase, smoothed over the last steps
  };
  size_t leaf_count = 0;
  std::vector<Step> steps;
  std::vector<double> cost;         // cost of each cluster
  std::vector<double> edge_prices;  // prices of the leaves' edges
};

// Continues to record into `tree` after the leaves. `with_tangent`: see paper 1, 3.4.
MergeHistory merge_greedily(const MeshView& mesh, const LeafSet& leaves, const Shaper& shaper, bool with_tangent,
                            const MergeLimits& limits, MergeTree& tree, Run& run);

}  // namespace hitbox::internal::fit
