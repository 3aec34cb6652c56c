// A convex polyhedron as its sides, cut by planes: the region of space that a piece of the mesh lies in.
#pragma once

#include <array>
#include <vector>

#include "base/bounds.hpp"
#include "geometry/half_space.hpp"

namespace hitbox::internal::carve {

class Cell {
 public:
  Cell() = default;
  explicit Cell(const Bounds& box);

  bool is_empty() const { return sides_.empty(); }
  // The part behind the plane, and that in front of it; either may be empty.
  std::array<Cell, 2> cut(const HalfSpace& plane) const;
  std::vector<Vec3> corners() const;  // each once

 private:
  using Polygon = std::vector<Vec3>;
  std::vector<Polygon> sides_;
};

}  // namespace hitbox::internal::carve
