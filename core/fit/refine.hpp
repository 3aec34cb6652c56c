// Clusters exchange leaves while that makes their shapes deviate less in sum.
//
// Three moves: a leaf goes to a neighbouring cluster; a leaf that another shape holds anyway leaves its own; the
// cluster with most to gain is split, and the pair of neighbours that costs least is merged for it.
// The number of clusters never grows. Clusters take turns, the worst first, so that a small budget
// goes where it matters.
#pragma once

#include "leaves.hpp"

namespace hitbox {

struct Assignment {
  std::vector<uint32_t> cluster_of_leaf;
  std::vector<Fitted> shape;  // of each cluster, around its leaves' kernels
};

// `evaluations`: shapes that may be tried.
Assignment refine(const MeshView& mesh, const LeafSet& set, std::vector<uint32_t> cluster_of_leaf,
                  const Shaper& shaper, size_t evaluations, Run& run);

}  // namespace hitbox
