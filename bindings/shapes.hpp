// The form of a shape between C++ and Python: the name of its kind, its numbers in one flat array, and the triangles of
// a hull (whose numbers are its vertices).
#pragma once

#include <nanobind/stl/tuple.h>

#include "bindings.hpp"
#include "hitbox/shapes.hpp"

namespace hitbox::bindings {

using Params = nb::ndarray<const double, nb::numpy, nb::shape<-1>, nb::c_contig, nb::device::cpu>;

// Raises ValueError on an unknown kind, a wrong number of params, or an index out of range.
Shape to_shape(const std::string& kind, const Params& params, const Triangles& triangles);

using Crossings = std::vector<std::tuple<std::string, Params, Triangles>>;
std::vector<Shape> to_shapes(const Crossings& crossings);

using ShapeParts = std::tuple<std::string, nb::ndarray<nb::numpy, double, nb::ndim<1>>,
                              nb::ndarray<nb::numpy, uint32_t, nb::ndim<2>>>;  // kind, params, triangles
ShapeParts to_python(const Shape& shape);

}  // namespace hitbox::bindings
