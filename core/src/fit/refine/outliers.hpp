// Reduces the largest distances, worst shape first: they barely affect the sum but are visible. Visibility is unknown
// here, so a shape that cannot be improved is skipped.
#pragma once

#include "fit/refine/clustering.hpp"

namespace hitbox::internal::fit {

void reduce_outliers(Clustering& clusters, size_t rounds, Run& run);

}  // namespace hitbox::internal::fit
