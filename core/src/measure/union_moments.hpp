// Volume, centre and second moments of the union of convex shapes: what overlaps counts once.
//
// Shapes whose boxes touch no other one's have their exact moments. Of the others points are drawn, each of which
// counts one over the number of the shapes that hold it (R. Karp, M. Luby, "Monte-Carlo algorithms for enumeration and
// reliability problems", 1983). The points of a shape have its exact mean and covariance, so that equal shapes are
// exact too; shapes that overlap in part leave an error of about 0.1 % in the inertia of 64 shapes. The same for any
// number of threads. Cost: 65536 points in all; about 20 ms for 64 shapes.
#pragma once

#include <optional>
#include <span>

#include "hitbox/run.hpp"
#include "hitbox/shapes.hpp"
#include "measure/moments.hpp"

namespace hitbox::internal::measure {

// Nothing where the volumes do not sum up to a number above 0.
std::optional<Moments> union_moments(std::span<const Shape> shapes, Run& run);

}  // namespace hitbox::internal::measure
