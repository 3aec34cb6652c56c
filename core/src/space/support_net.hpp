// An outer approximation of a convex hull by supporting planes in 150 directions, whose distances are never too large.
// Cost: linear to build. A query tests all planes.
#pragma once

#include <span>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/vec3.hpp"

namespace hitbox::internal::space {

class SupportNet {
 public:
  explicit SupportNet(std::span<const Vec3> points);  // at least one point

  // A lower bound of the distance of p from the hull; negative deep inside it. 1-Lipschitz.
  double distance(const Vec3& p) const;

 private:
  struct Plane {
    Vec3 normal;
    double offset;
  };
  std::vector<Plane> planes_;
};

}  // namespace hitbox::internal::space
