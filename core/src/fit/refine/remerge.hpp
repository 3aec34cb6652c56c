// Divides a cluster into several where no two halves are better than the whole. A hexagon of four triangles is no
// better in halves, but each of the triangles is a prism.
#pragma once

#include "fit/refine/clustering.hpp"

namespace hitbox::internal::fit {

// Merges a cluster's leaves anew, starting from single leaves, and chooses the number of clusters with the least cost
// among those that reach no further than allowed. Other clusters are joined to pay for it. Returns true if the total
// gain is at least this large and the change was made.
bool remerge(Clustering& clusters, uint32_t cluster, double least_gain, double most_reach);

}  // namespace hitbox::internal::fit
