// Clusters exchange leaves while that makes their shapes deviate less in sum.
//
// A leaf moves to a neighbouring cluster, or two clusters divide their leaves evenly. The cluster with most to gain is
// split or merged anew; if all clusters are in use, the cheapest pair of neighbours is merged to free one. Finally the
// shapes that reach furthest from the mesh are improved, at some increase of the sum. Clusters take turns, the worst
// first, so that a small budget goes where it matters.
#pragma once

#include <chrono>

#include "fit/tree/leaves.hpp"

namespace hitbox::internal::fit {

struct RefineLimits {
  size_t clusters = 0;  // the most clusters
  size_t tries = 0;     // budget of thorough fits; a quick one counts an eighth
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

struct Refined {
  std::vector<uint32_t> cluster_of_leaf;  // numbered without gaps
  std::vector<Fitted> shapes;             // around the leaves' kernels, one per cluster
  bool ended_early = false;               // because of the deadline
};

Refined refine(const MeshView& mesh, const LeafSet& set, std::vector<uint32_t> cluster_of_leaf, const Shaper& shaper,
               const RefineLimits& limits, Run& run);

}  // namespace hitbox::internal::fit
