// Two doubles, for what happens in a plane.
#pragma once

namespace hitbox {

struct Vec2 {
  double x = 0, y = 0;
  friend bool operator==(const Vec2&, const Vec2&) = default;
};

}  // namespace hitbox
