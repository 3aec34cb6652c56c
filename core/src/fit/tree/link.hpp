// Virtual edges between parts that no mesh edge connects.
#pragma once

#include <span>
#include <vector>

#include "hitbox/run.hpp"
#include "mesh/adjacency.hpp"

namespace hitbox::internal::fit {

// Links each point to the next one of its group along two Morton curves. The links are coarse but cheap for any number.
// `group` is empty, or has one entry per point.
std::vector<FacePair> link_along_curve(std::span<const Vec3> points, std::span<const uint32_t> group);

// Links each box to the `neighbours` nearest boxes of other groups, by gap and then by distance of centres. Cost: O(n
// log n).
std::vector<FacePair> link_nearest(std::span<const Bounds> boxes, std::span<const uint32_t> group, size_t neighbours,
                                   Run& run);

}  // namespace hitbox::internal::fit
