// Volume, centre and second moments of a convex shape, and points spread evenly inside it.
//
// The moments are exact, up to rounding: a shape is a stack of slices whose areas and squared extents are quadratic in
// the height, or the tetrahedra between a hull's triangles and a point inside.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "hitbox/shapes.hpp"
#include "measure/moments.hpp"

namespace hitbox::internal::measure {

Moments shape_moments(const Shape& shape);  // of one whose volume is above 0

// Points spread evenly inside the shape. Those of `matched` are moved a little, so that their weighted mean and
// covariance are those of the shape, unless it is so flat that rounding decides them; a few may then be outside.
struct InnerPoints {
  std::vector<Vec3> points;
  std::vector<Vec3> matched;    // seen from `from`
  std::vector<double> weights;  // sum up to the shape's volume
};
InnerPoints inner_points(const Shape& shape, size_t count, size_t seed, const Vec3& from);

}  // namespace hitbox::internal::measure
