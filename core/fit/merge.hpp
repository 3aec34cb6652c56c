// Greedy merging (paper 1, Alg. 1): of all neighbouring clusters, always the two whose common
// shape adds least. Works on leaves from premerge, or on single faces.
#pragma once

#include "../base/run.hpp"
#include "../mesh/mesh.hpp"
#include "candidates.hpp"
#include "deviation.hpp"
#include "operator.hpp"
#include "premerge.hpp"
#include "tree.hpp"

namespace hitbox {

// Goes on recording into `tree` where premerge left off, down to one cluster, or until every merge
// would add more volume than `max_excess` (which may be infinite). With a `meter` the shapes'
// deviation is kept small, without one their cost in `model`.
void merge_greedily(const MeshView& mesh, const Premerged& leaves, const CostModel& model,
                    const DeviationMeter* meter, bool with_tangent, double max_excess, MergeTree& tree,
                    Run& run);

}  // namespace hitbox
