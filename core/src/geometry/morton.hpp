// Points in the order of a Morton curve: neighbours in space are usually close in the order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/vec3.hpp"

namespace hitbox::internal::geometry {

// The position of each point on the curve. `shift` as below.
std::vector<uint64_t> morton_codes(std::span<const Vec3> points, double shift = 0);

// The points' numbers along the curve, ties by number. `shift` in [0, 1) moves the curve's cells, so that two curves do
// not share their jumps. Cost: O(n log n).
std::vector<uint32_t> morton_order(std::span<const Vec3> points, double shift = 0);

}  // namespace hitbox::internal::geometry
