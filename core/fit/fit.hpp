// fit: convex primitive decomposition (paper 1). A mesh goes in, at most `count` shapes come out,
// each input face inside at least one of them.
#pragma once

#include "../base/run.hpp"
#include "../mesh/mesh.hpp"
#include "options.hpp"
#include "tree.hpp"

namespace hitbox {

// All merges from single faces on, down to `levels.coarsest` clusters (free ones go on below). The
// mesh has passed check_mesh. Costs about two microseconds a face.
MergeTree build_tree(const MeshView& mesh, const Levels& levels, const FitOptions& options, Run& run);

// The shapes around the clusters that are left after the first `merge_count` merges of the tree.
FitResult shapes_after(const MeshView& mesh, const MergeTree& tree, size_t merge_count,
                       const FitOptions& options, Run& run);

}  // namespace hitbox
