// Shapes that hold points exactly, whatever rounding did while they were fitted.
#pragma once

#include <span>

#include "base/tolerances.hpp"
#include "hitbox/shapes.hpp"

namespace hitbox::internal::shapes {

// `shape`, or its smallest grown version that contains all `points`.
Shape enclosing(Shape shape, std::span<const Vec3> points, const Tolerances& tolerances);

}  // namespace hitbox::internal::shapes
