// Compares a convex body with the shape that it stands for.
#include "hulls/convex_body.hpp"

#include "tests/check.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::hulls;
using namespace hitbox::tests;

TEST(convex_body_has_the_distances_of_its_shape) {
  Random random(11);
  for (int kind = 0; kind < kKindCount; ++kind)
    for (int round = 0; round < 20; ++round) {
      const Shape shape = random_shape(random, static_cast<Kind>(kind));
      const ConvexBody body(shape);
      size_t last = 0;
      for (int k = 0; k < 50; ++k) {
        const Vec3 p = random_point(random, 3);
        double distance = 0;
        signed_distance(shape, {&p, 1}, {&distance, 1});
        distance = std::max(distance, 0.0);
        CHECK_NEAR(body.distance(p), distance, 1e-8);
        CHECK(body.is_within(p, distance + 1e-6, last));
        if (distance > 1e-5) CHECK(!body.is_within(p, distance - 1e-6, last));
      }
    }
}

TEST(convex_body_of_a_flat_hull_is_nearly_flat) {
  const Hull square{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 3}, {0, 2, 1}, {0, 3, 2}}};
  const ConvexBody body{Shape(square)};
  CHECK_NEAR(body.distance({0.5, 0.5, 0.3}), 0.3, 1e-5);
  CHECK_NEAR(body.distance({2, 0.5, 0}), 1, 1e-5);
}
