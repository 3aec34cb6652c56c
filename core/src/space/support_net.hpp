// A convex hull from outside, by planes that touch it in 150 directions: distances from it are never too large.
// Cost: linear to build; a question looks at all planes.
#pragma once

#include <span>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/vec3.hpp"

namespace hitbox::internal::space {

class SupportNet {
 public:
  explicit SupportNet(std::span<const Vec3> points);  // at least one

  // At most the distance of p from the hull; below 0 deep inside it. No steeper than 1.
  double distance(const Vec3& p) const;

 private:
  struct Plane {
    Vec3 normal;
    double offset;
  };
  std::vector<Plane> planes_;
};

}  // namespace hitbox::internal::space
