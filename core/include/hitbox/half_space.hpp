// A plane and all points behind it.
#pragma once

#include "hitbox/vec3.hpp"

namespace hitbox {

struct HalfSpace {
  Vec3 normal;  // a unit vector that points out
  double offset = 0;

  double above(const Vec3& p) const { return dot(normal, p) - offset; }  // <= 0 inside
};

}  // namespace hitbox
