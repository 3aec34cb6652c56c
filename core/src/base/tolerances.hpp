// Lengths that decide anything, in mesh units: made once per mesh, passed down, never global.
#pragma once

#include "base/rooms.hpp"

namespace hitbox::internal::base {

struct Tolerances {
  double enclose;    // how far a vertex may stick out of its shape
  double slack;      // by how much a fitted shape is grown, so that rounding cannot push a vertex out
  double thickness;  // smallest half extent or radius of an output shape: engines divide by it

  static Tolerances of_diagonal(double diagonal) { return {1e-9 * diagonal, 1e-12 * diagonal, 1e-5 * diagonal}; }
};

}  // namespace hitbox::internal::base
