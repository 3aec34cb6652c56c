// The shapes that reach furthest from the mesh are lowered, one after the other: the sum hardly sees them, people
// do. What lies inside other shapes cannot be seen, and is not known here: so one that cannot be lowered does
// not end it.
#pragma once

#include "fit/refine/clustering.hpp"

namespace hitbox::internal::fit {

void lower_peaks(Clustering& clusters, size_t rounds, Run& run);

}  // namespace hitbox::internal::fit
