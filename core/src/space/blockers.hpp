// Space that a ball may not enter although the mesh leaves it free, such as solid ground (paper 4, Eq. 4 and 5).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/half_space.hpp"
#include "hitbox/shapes.hpp"

namespace hitbox::internal::space {

struct Blockers {
  std::vector<HalfSpace> half_spaces;
  std::vector<Shape> shapes;
  // Signed distances at points, negative inside. It is evaluated at every grid point. The proof assumes that it is
  // 1-Lipschitz.
  std::function<void(std::span<const Vec3>, std::span<double>)> function;

  double slack = 0;  // all blockers count as smaller by this length

  bool empty() const { return half_spaces.empty() && shapes.empty() && !function; }
  // The distance from all blockers except the function; infinite without any. 1-Lipschitz.
  double distance(const Vec3& p) const;
  // The distances from the function.
  void ask(std::span<const Vec3> points, std::span<double> out) const;
};

}  // namespace hitbox::internal::space
