// fit: convex primitive decomposition (paper 1). A mesh goes in, at most `count` shapes come out,
// each input face inside at least one of them.
#pragma once

#include "../base/run.hpp"
#include "../mesh/mesh.hpp"
#include "options.hpp"
#include "tree.hpp"

namespace hitbox {

// All merges from single faces down to one cluster, or as far as `max_excess` lets them go; fine
// enough for `finest` shapes. The mesh has passed check_mesh. Costs 1 to 2 microseconds a face.
MergeTree build_tree(const MeshView& mesh, uint32_t finest, const FitOptions& options, Run& run);

// The shapes around the clusters that are left after the first `merge_count` merges of the tree.
FitResult shapes_after(const MeshView& mesh, const MergeTree& tree, size_t merge_count,
                       const FitOptions& options, Run& run);

}  // namespace hitbox
