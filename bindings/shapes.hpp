// How a shape crosses: its kind's name, its numbers in one flat array, and for a hull its
// triangles (the numbers then are its vertices).
#pragma once

#include <tuple>

#include "bindings.hpp"
#include "shapes/shape.hpp"

namespace hitbox::bindings {

using Params = nb::ndarray<const double, nb::numpy, nb::shape<-1>, nb::c_contig, nb::device::cpu>;
using Triangles =
    nb::ndarray<const uint32_t, nb::numpy, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

// Raises ValueError on an unknown kind, a wrong number of params, or an index out of range.
Shape to_shape(const std::string& kind, const Params& params, const Triangles& triangles);

// (kind, params, triangles)
nb::tuple to_python(const Shape& shape);

}  // namespace hitbox::bindings
