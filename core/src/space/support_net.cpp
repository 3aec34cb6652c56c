#include "space/support_net.hpp"

#include <algorithm>
#include <limits>

namespace hitbox::internal::space {

namespace {

// Five by five directions on each side of a cube, including the centres of the sides.
std::vector<Vec3> directions() {
  constexpr double kLines[5] = {-0.8, -0.4, 0, 0.4, 0.8};
  std::vector<Vec3> found;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0})
      for (const double u : kLines)
        for (const double v : kLines) {
          Vec3 d;
          d[axis] = side;
          d[(axis + 1) % 3] = u;
          d[(axis + 2) % 3] = v;
          found.push_back(normalized(d));
        }
  return found;
}

}  // namespace

SupportNet::SupportNet(std::span<const Vec3> points) {
  constexpr double kLow = -std::numeric_limits<double>::infinity();
  for (const Vec3& normal : directions()) {
    double offset = kLow;
    for (const Vec3& p : points) offset = std::max(offset, dot(normal, p));
    planes_.push_back({normal, offset});
  }
}

double SupportNet::distance(const Vec3& p) const {
  double largest = -std::numeric_limits<double>::infinity();
  for (const Plane& plane : planes_) largest = std::max(largest, dot(plane.normal, p) - plane.offset);
  return largest;
}

}  // namespace hitbox::internal::space
