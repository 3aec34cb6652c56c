// Greedy merging (paper 1, Alg. 1): of all neighbouring clusters, always the two whose common
// shape adds least. Works on leaves from premerge, or on single faces.
#pragma once

#include "../base/run.hpp"
#include "../mesh/mesh.hpp"
#include "candidates.hpp"
#include "operator.hpp"
#include "premerge.hpp"
#include "tree.hpp"

namespace hitbox {

struct MergeLimits {
  size_t count;       // stop here, free merges aside
  double max_excess;  // volume one merge may add; infinite if there is no limit
};

// Goes on recording into `tree` where premerge left off.
void merge_greedily(const MeshView& mesh, const Premerged& leaves, const CostModel& model,
                    bool with_tangent, const MergeLimits& limits, MergeTree& tree, Run& run);

}  // namespace hitbox
