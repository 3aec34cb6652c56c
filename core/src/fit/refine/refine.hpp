// Clusters exchange leaves while that makes their shapes deviate less in sum.
//
// A leaf goes to a neighbouring cluster, or two clusters share what they have evenly; the cluster with most to
// gain is split or merged anew, and where all clusters are in use the pair of neighbours that costs least is
// merged for it. At last the shapes that reach
// furthest from the mesh are lowered, at some cost in sum. Clusters take turns, the worst first, so that
// a small budget goes where it matters.
#pragma once

#include <chrono>

#include "fit/tree/leaves.hpp"

namespace hitbox::internal::fit {

struct RefineLimits {
  size_t clusters = 0;  // at most, or as many as there are
  size_t tries = 0;     // shapes that may be fitted thoroughly; quick looks count an eighth
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

struct Refined {
  std::vector<uint32_t> cluster_of_leaf;  // numbered without gaps
  std::vector<Fitted> shapes;             // around the leaves' kernels; one a cluster
  bool ended_early = false;               // by the deadline
};

Refined refine(const MeshView& mesh, const LeafSet& set, std::vector<uint32_t> cluster_of_leaf, const Shaper& shaper,
               const RefineLimits& limits, Run& run);

}  // namespace hitbox::internal::fit
