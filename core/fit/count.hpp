// How many shapes, if nobody says: the fewest whose surface stays close to the mesh, or somewhat
// more where that pays.
#pragma once

#include "fit.hpp"

namespace hitbox {

struct CountChoice {
  uint32_t count;        // clusters, before culling
  double mean_distance;  // from the shapes to the mesh, of the diagonal
};

constexpr uint32_t kMostChosen = 256;    // the tree must be made for this many
constexpr double kCloseEnough = 0.0075;  // mean distance, of the diagonal

// The tree goes from at least kMostChosen down to one cluster.
CountChoice choose_count(const FitInput& input, const MergeTree& tree, Run& run);

}  // namespace hitbox
