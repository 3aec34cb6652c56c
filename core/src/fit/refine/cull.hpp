// Removing shapes that do nothing (paper 1, 3.4): those whose faces all lie in one other shape.
#pragma once

#include <span>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/run.hpp"
#include "hitbox/shapes.hpp"

namespace hitbox::internal::fit {

// For each shape the one that makes it superfluous, or itself. `points[k]`: the vertices that
// shape k is there to enclose. Small shapes go first; a shape that stays may take in many, all of
// its own group (`group`: empty, or one a shape).
std::vector<uint32_t> superfluous_shapes(std::span<const Shape> shapes, std::vector<std::vector<Vec3>> points,
                                         std::span<const uint32_t> group, Run& run);

// Smallest half extent or radius.
double thinnest(const Shape& shape);

}  // namespace hitbox::internal::fit
