// Points on a regular grid around a box, and its cubes, which are halved while a property is not constant over a cube.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/rooms.hpp"
#include "hitbox/bounds.hpp"

namespace hitbox::internal::space {

using GridPoint = std::array<int, 3>;

struct Grid {
  Vec3 origin;
  double step = 0;
  GridPoint size{};  // number of points along each axis

  static Grid around(const Bounds& box, double margin, double step) {
    Grid grid{box.low - Vec3{margin, margin, margin}, step, {}};
    const Vec3 length = box.size() + Vec3{2 * margin, 2 * margin, 2 * margin};
    for (int axis = 0; axis < 3; ++axis) grid.size[static_cast<size_t>(axis)] = points_along(length[axis], step);
    return grid;
  }

  size_t point_count() const { return index(size[0] - 1, size[1] - 1, size[2] - 1) + 1; }
  size_t index(int x, int y, int z) const {
    return static_cast<size_t>(x) +
           static_cast<size_t>(size[0]) *
               (static_cast<size_t>(y) + static_cast<size_t>(size[1]) * static_cast<size_t>(z));
  }
  size_t index(const GridPoint& p) const { return index(p[0], p[1], p[2]); }
  GridPoint point(size_t index) const {
    const auto nx = static_cast<size_t>(size[0]), ny = static_cast<size_t>(size[1]);
    return {static_cast<int>(index % nx), static_cast<int>(index / nx % ny), static_cast<int>(index / (nx * ny))};
  }
  Vec3 position(double x, double y, double z) const { return origin + Vec3{x, y, z} * step; }
  Vec3 position(const GridPoint& p) const { return position(p[0], p[1], p[2]); }

  // The points with low <= x < high along each axis.
  struct Cube {
    GridPoint low, high;
  };
  // The points inside a box; none if it lies beside the grid.
  Cube points_in(const Bounds& box) const {
    Cube cube{};
    for (int axis = 0; axis < 3; ++axis) {
      const auto k = static_cast<size_t>(axis);
      const double count = size[k], low = std::ceil((box.low[axis] - origin[axis]) / step),
                   high = std::floor((box.high[axis] - origin[axis]) / step) + 1;
      cube.low[k] = static_cast<int>(std::clamp(low, 0.0, count));
      cube.high[k] = static_cast<int>(std::clamp(high, static_cast<double>(cube.low[k]), count));
      if (cube.low[k] == cube.high[k]) return {};
    }
    return cube;
  }
  // The `number`-th of the cubes of `side` points that divide the grid.
  size_t cube_count(int side) const { return along(0, side) * along(1, side) * along(2, side); }
  Cube cube(size_t number, int side) const {
    const size_t nx = along(0, side), ny = along(1, side);
    const GridPoint at = {static_cast<int>(number % nx), static_cast<int>(number / nx % ny),
                          static_cast<int>(number / (nx * ny))};
    Cube cube{};
    for (size_t k = 0; k < 3; ++k) {
      cube.low[k] = side * at[k];
      cube.high[k] = std::min(cube.low[k] + side, size[k]);
    }
    return cube;
  }
  Vec3 center(const Cube& cube) const {
    const auto middle = [&](size_t k) { return 0.5 * (cube.low[k] + cube.high[k] - 1); };
    return position(middle(0), middle(1), middle(2));
  }
  double half_diagonal(const Cube& cube) const {
    const auto side = [&](size_t k) { return static_cast<double>(cube.high[k] - cube.low[k] - 1); };
    return 0.5 * step * norm({side(0), side(1), side(2)});
  }

  // Calls visit(cube, knowledge of its parent), which returns the knowledge of this cube, or nothing if the cube is
  // finished. A single point must be finished.
  template <class Known, class Visit>
  static void halve(const Cube& cube, const Known& known, Visit&& visit) {
    const std::optional<Known> found = visit(cube, known);
    if (!found) return;
    GridPoint middle;
    for (size_t k = 0; k < 3; ++k) middle[k] = (cube.low[k] + cube.high[k] + 1) / 2;
    for (unsigned part = 0; part < 8; ++part) {
      Cube half = cube;
      bool empty = false;
      for (size_t k = 0; k < 3; ++k) {
        if ((part >> k & 1) != 0) {
          half.low[k] = middle[k];
        } else {
          half.high[k] = middle[k];
        }
        empty = empty || half.low[k] >= half.high[k];
      }
      if (!empty) halve(half, *found, visit);
    }
  }
  template <class Body>
  static void each_row(const Cube& cube, const Body& body) {  // body(y, z)
    for (int z = cube.low[2]; z < cube.high[2]; ++z)
      for (int y = cube.low[1]; y < cube.high[1]; ++y) body(y, z);
  }

 private:
  // Computed as a double first, to detect a grid that is too large before an overflow.
  static int points_along(double length, double step) {
    return static_cast<int>(std::min(std::ceil(length / step), 1e8)) + 1;
  }
  size_t along(size_t axis, int side) const { return static_cast<size_t>((size[axis] + side - 1) / side); }
};

}  // namespace hitbox::internal::space
