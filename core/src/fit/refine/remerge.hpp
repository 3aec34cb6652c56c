// A cluster as several, where no two halves are better than the whole: a hexagon of four triangles is no better
// in halves, but each of the triangles is a prism.
#pragma once

#include "fit/refine/clustering.hpp"

namespace hitbox::internal::fit {

// Merges a cluster's leaves anew, from each for itself, and takes of all numbers of pieces that reach no
// further than allowed the one that costs least; others are joined to pay for it. True where that was done:
// where it gains at least so much in sum.
bool remerge(Clustering& clusters, uint32_t cluster, double least_gain, double most_reach);

}  // namespace hitbox::internal::fit
