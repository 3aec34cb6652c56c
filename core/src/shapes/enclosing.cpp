#include "shapes/enclosing.hpp"

#include <algorithm>

namespace hitbox::internal::shapes {

Shape enclosing(Shape shape, std::span<const Vec3> points, const Tolerances& tolerances) {
  constexpr int kMostSteps = 64;  // the slack doubles each time, which is enough for any distance
  std::vector<double> distance(points.size());
  double slack = tolerances.slack;
  for (int step = 0; step < kMostSteps; ++step) {
    shape = grown(shape, slack);
    signed_distance(shape, points, distance);
    const double out = *std::max_element(distance.begin(), distance.end());
    if (!(out > 0)) break;
    slack = std::max(out, 2 * slack);
  }
  return shape;
}

}  // namespace hitbox::internal::shapes
