// Virtual edges between parts that no mesh edge joins.
#pragma once

#include <span>
#include <vector>

#include "hitbox/run.hpp"
#include "mesh/adjacency.hpp"

namespace hitbox::internal::fit {

// Each point with the next one of its group along two Morton curves: coarse, but cheap for any
// number. `group`: empty, or one a point.
std::vector<FacePair> link_along_curve(std::span<const Vec3> points, std::span<const uint32_t> group);

// Each box with its `neighbours` nearest by gap (then by distance of centres) among those of
// another group. Costs O(n log n).
std::vector<FacePair> link_nearest(std::span<const Bounds> boxes, std::span<const uint32_t> group, size_t neighbours,
                                   Run& run);

}  // namespace hitbox::internal::fit
