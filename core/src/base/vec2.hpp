// Two doubles, for computations in a plane.
#pragma once

#include "base/rooms.hpp"

namespace hitbox::internal::base {

struct Vec2 {
  double x = 0, y = 0;
  friend bool operator==(const Vec2&, const Vec2&) = default;
};

}  // namespace hitbox::internal::base
