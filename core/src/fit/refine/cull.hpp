// Removes superfluous shapes (paper 1, 3.4): those whose faces all lie in one other shape.
#pragma once

#include <span>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/run.hpp"
#include "hitbox/shapes.hpp"

namespace hitbox::internal::fit {

// Returns for each shape the one that makes it superfluous, or itself. `points[k]` has the vertices that shape k must
// enclose. Small shapes go first. A remaining shape may replace many, all of its own group (`group` is empty, or has
// one entry per shape).
std::vector<uint32_t> superfluous_shapes(std::span<const Shape> shapes, std::vector<std::vector<Vec3>> points,
                                         std::span<const uint32_t> group, Run& run);

// The smallest half extent or radius.
double thinnest(const Shape& shape);

}  // namespace hitbox::internal::fit
