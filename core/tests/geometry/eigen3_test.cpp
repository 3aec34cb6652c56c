#include "geometry/eigen3.hpp"

#include "tests/check.hpp"
#include "tests/matrices.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::geometry;
using namespace hitbox::tests;

namespace {

Frame random_frame(Random& random) { return frame_from(random_point(random, 1), random_point(random, 1)); }

}  // namespace

TEST(eigen3_takes_known_matrices_apart) {
  Random random(4);
  const double values[][3] = {
      {1, 2, 3}, {0, 0, 5}, {0, 0, 0}, {2, 2, 2}, {1e-12, 1, 1}, {-3, 1e-8, 4}, {1e-200, 2e-200, 3e-200}};
  for (int round = 0; round < 50; ++round) {
    for (const auto& value : values) {
      const Frame frame = round == 0 ? Frame{} : random_frame(random);
      Sym3 matrix;
      for (int k = 0; k < 3; ++k) matrix = matrix + Sym3::outer(frame.axis[k], value[k]);
      const Eigen3 found = eigen3(matrix);
      const double scale = std::max(std::abs(value[0]), std::abs(value[2]));
      Sym3 again;
      for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(found.value[k], value[k], 1e-14 * scale);
        again = again + Sym3::outer(found.vectors.axis[k], found.value[k]);
        for (int j = 0; j < 3; ++j)
          CHECK_NEAR(dot(found.vectors.axis[k], found.vectors.axis[j]), k == j ? 1.0 : 0.0, 1e-14);
      }
      CHECK(largest_difference(matrix, again) <= 1e-14 * scale);
      CHECK(dot(cross(found.vectors.axis[0], found.vectors.axis[1]), found.vectors.axis[2]) > 0);
    }
  }
}
