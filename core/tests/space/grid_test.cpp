// Points, cubes and halves of a grid: each point is visited once, for any sizes.
#include "space/grid.hpp"

#include <algorithm>
#include <vector>

#include "base/random.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::space;

namespace {

Grid random_grid(Random& random) {
  Bounds box;
  for (int k = 0; k < 2; ++k) {
    const double x = random.uniform(-1, 1), y = random.uniform(-1, 1);
    box.add(Vec3{x, y, random.uniform(-1, 1)});
  }
  return Grid::around(box, random.uniform(0, 0.3), random.uniform(0.04, 0.3));
}

size_t points_in(const Grid::Cube& cube) {
  size_t count = 1;
  for (size_t k = 0; k < 3; ++k) count *= static_cast<size_t>(cube.high[k] - cube.low[k]);
  return count;
}

}  // namespace

TEST(space_grid_lies_around_its_box) {
  Random random(1);
  for (int k = 0; k < 500; ++k) {
    const Bounds box{{-1, -2, -3}, {random.uniform(-1, 2), random.uniform(-2, 2), random.uniform(-3, 2)}};
    const double margin = random.uniform(0, 1), step = random.uniform(0.05, 0.7);
    const Grid grid = Grid::around(box, margin, step);
    const Vec3 last = grid.position({grid.size[0] - 1, grid.size[1] - 1, grid.size[2] - 1});
    for (int axis = 0; axis < 3; ++axis) {
      CHECK(grid.position(0, 0, 0)[axis] == box.low[axis] - margin);
      CHECK(last[axis] >= box.high[axis] + margin - 1e-12);
      CHECK(last[axis] < box.high[axis] + margin + step);
    }
  }
  // A number of points that would overflow is detected before.
  const Grid huge = Grid::around({{0, 0, 0}, {1, 1, 1}}, 0, 1e-300);
  CHECK(huge.size[0] == 100000001);
}

TEST(space_grid_numbers_its_points) {
  Random random(2);
  for (int k = 0; k < 60; ++k) {
    const Grid grid = random_grid(random);
    size_t expected = 0;
    for (int z = 0; z < grid.size[2]; ++z)
      for (int y = 0; y < grid.size[1]; ++y)
        for (int x = 0; x < grid.size[0]; ++x) {
          CHECK(grid.index(x, y, z) == expected);
          CHECK((grid.point(expected) == GridPoint{x, y, z}));
          ++expected;
        }
    CHECK(grid.point_count() == expected);
  }
}

TEST(space_grid_cubes_hold_each_point_once) {
  Random random(3);
  for (int k = 0; k < 60; ++k) {
    const Grid grid = random_grid(random);
    const int side = 1 + static_cast<int>(random.below(9));
    std::vector<int> visits(grid.point_count());
    for (size_t n = 0; n < grid.cube_count(side); ++n) {
      const Grid::Cube cube = grid.cube(n, side);
      const Vec3 center = grid.center(cube);
      Grid::each_row(cube, [&](int y, int z) {
        for (int x = cube.low[0]; x < cube.high[0]; ++x) {
          ++visits[grid.index(x, y, z)];
          CHECK(norm(grid.position(x, y, z) - center) <= grid.half_diagonal(cube) + 1e-12);
        }
      });
    }
    CHECK(std::all_of(visits.begin(), visits.end(), [](int count) { return count == 1; }));
  }
}

TEST(space_grid_halves_end_at_each_point_once) {
  Random random(4);
  for (int k = 0; k < 60; ++k) {
    const Grid grid = random_grid(random);
    std::vector<int> visits(grid.point_count());
    const Grid::Cube all{{0, 0, 0}, grid.size};
    size_t asked = 0;
    Grid::halve(all, 0, [&](const Grid::Cube& cube, int depth) -> std::optional<int> {
      ++asked;
      CHECK(depth <= 30);
      const bool is_small = points_in(cube) <= 1 || random.uniform() < 0.2;  // some larger cubes are finished, too
      if (!is_small) return depth + 1;
      Grid::each_row(cube, [&](int y, int z) {
        for (int x = cube.low[0]; x < cube.high[0]; ++x) ++visits[grid.index(x, y, z)];
      });
      return std::nullopt;
    });
    CHECK(std::all_of(visits.begin(), visits.end(), [](int count) { return count == 1; }));
    CHECK(asked >= 1);
  }
}
