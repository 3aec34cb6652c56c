#include "space/blockers.hpp"

#include <algorithm>

namespace hitbox::internal::space {

double Blockers::distance(const Vec3& p) const {
  double least = Bounds::kInfinity;
  for (const HalfSpace& half : half_spaces) least = std::min(least, half.above(p));
  for (const Shape& shape : shapes) {
    double found = 0;
    signed_distance(shape, {&p, 1}, {&found, 1});
    least = std::min(least, found);
  }
  return least + slack;
}

void Blockers::ask(std::span<const Vec3> points, std::span<double> out) const {
  function(points, out);
  for (double& distance : out) distance += slack;
}

}  // namespace hitbox::internal::space
