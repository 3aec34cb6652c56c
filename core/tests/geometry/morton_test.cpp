#include "geometry/morton.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::geometry;

TEST(a_morton_curve_visits_every_point_once_in_short_steps) {
  Random random(3);
  std::vector<Vec3> points(4096);
  for (Vec3& p : points) p = {random.uniform(), random.uniform(), random.uniform()};
  for (double shift : {0.0, 0.3, 0.99}) {
    std::vector<uint32_t> order = morton_order(points, shift);
    double along = 0;
    for (size_t k = 1; k < order.size(); ++k) along += norm(points[order[k]] - points[order[k - 1]]);
    CHECK(along / 4095 < 0.15);  // a random order would give 0.66
    std::sort(order.begin(), order.end());
    for (uint32_t k = 0; k < order.size(); ++k) CHECK(order[k] == k);
  }
}

TEST(equal_points_keep_their_order_on_the_curve) {
  const std::vector<Vec3> points(100, Vec3{1, 2, 3});
  const std::vector<uint32_t> order = morton_order(points);
  for (uint32_t k = 0; k < order.size(); ++k) CHECK(order[k] == k);
}
