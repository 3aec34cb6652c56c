// Greedy merging (paper 1, Alg. 1): of all neighbouring clusters, always the two whose common
// shape adds least. Works on leaves from premerge, or on single faces.
#pragma once

#include "fit/tree/leaves.hpp"
#include "fit/tree/tree.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"

namespace hitbox::internal::fit {

struct MergeLimits {
  size_t count = 1;                       // clusters at which to stop
  double max_excess = Bounds::kInfinity;  // volume that one merge may add
};

// What merging did, in order. Leaves are clusters 0 .. leaf_count - 1, step k makes cluster
// leaf_count + k.
struct MergeHistory {
  struct Step {
    uint32_t a, b;
    double added;  // by how much the summed cost rose
    double price;  // the same, smoothed over the last steps
  };
  size_t leaf_count = 0;
  std::vector<Step> steps;
  std::vector<double> cost;         // of each cluster
  std::vector<double> edge_prices;  // of the leaves' edges
};

// Goes on recording into `tree` where the leaves end. `with_tangent`: paper 1, 3.4.
MergeHistory merge_greedily(const MeshView& mesh, const LeafSet& leaves, const Shaper& shaper, bool with_tangent,
                            const MergeLimits& limits, MergeTree& tree, Run& run);

}  // namespace hitbox::internal::fit
