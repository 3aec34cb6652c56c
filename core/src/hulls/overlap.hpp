// How far shapes enter a navigable space.
//
// Cost: the distance of every sphere from every shape near it, and the proof of every shape.
#pragma once

#include "hitbox/space.hpp"

namespace hitbox::internal::hulls {

Overlap measured_overlap(const NavigableSpace& space, std::span<const Shape> shapes, Run& run);

}  // namespace hitbox::internal::hulls
