// Space that a ball may not enter although the mesh leaves it free (paper 4, Eq. 4 and 5): a floor, say.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "geometry/half_space.hpp"
#include "hitbox/shapes.hpp"

namespace hitbox::internal::space {

struct Blockers {
  std::vector<HalfSpace> half_spaces;
  std::vector<Shape> shapes;
  // Signed distances at points, negative inside. Asked at every grid point; the proof takes it to be no steeper than 1.
  std::function<void(std::span<const Vec3>, std::span<double>)> function;

  double slack = 0;  // by which all of them count as smaller

  bool empty() const { return half_spaces.empty() && shapes.empty() && !function; }
  // From all but the function; infinite without any. No steeper than 1.
  double distance(const Vec3& p) const;
  // From the function.
  void ask(std::span<const Vec3> points, std::span<double> out) const;
};

}  // namespace hitbox::internal::space
