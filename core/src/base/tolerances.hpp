// The tolerances of a mesh, in mesh units. They are computed once per mesh, passed down, and never global.
#pragma once

#include "base/rooms.hpp"

namespace hitbox::internal::base {

struct Tolerances {
  double enclose;    // how far a vertex may stick out of its shape
  double slack;      // the length by which a fitted shape is grown, so that rounding cannot push a vertex out
  double thickness;  // the least half extent or radius of an output shape, because engines divide by it

  static Tolerances of_diagonal(double diagonal) { return {1e-9 * diagonal, 1e-12 * diagonal, 1e-5 * diagonal}; }
};

}  // namespace hitbox::internal::base
