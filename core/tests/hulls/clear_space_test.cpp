// Compares spaces to keep clear with a test of every sphere.
#include "hulls/clear_space.hpp"

#include "base/random.hpp"
#include "tests/check.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::hulls;
using namespace hitbox::tests;

TEST(clear_space_agrees_with_every_sphere_asked) {
  Random random(4);
  Run run(1);
  int entered = 0, clear = 0;
  for (int round = 0; round < 40; ++round) {
    std::vector<Sphere> spheres(random.below(60));
    for (Sphere& s : spheres) s = {random_point(random, 3), random.uniform(0.01, 0.4)};
    const double pad = round % 2 ? 0.1 : 0;
    const ClearSpace space(spheres, pad, -1e-9, run);
    CHECK(space.empty() == spheres.empty());
    for (int kind = 0; kind < kKindCount; ++kind) {
      const Shape shape = random_shape(random, static_cast<Kind>(kind));
      bool expected = false;
      for (const Sphere& s : spheres) {
        double distance = 0;
        signed_distance(padded(shape, pad, 0), {&s.center, 1}, {&distance, 1});
        expected |= distance < s.radius - 1e-9;
      }
      CHECK(space.entered_by(shape) == expected);
      ++(expected ? entered : clear);
    }
  }
  CHECK(entered > 20 && clear > 20);
}

TEST(touching_a_clear_space_is_allowed_and_entering_it_is_not) {
  Run run(1);
  const std::vector<Sphere> spheres{{{3, 0, 0}, 1}};
  const ClearSpace space(spheres, 0, -1e-9, run);
  CHECK(!space.entered_by(Box{{1, 0, 0}, {}, {1, 1, 1}}));
  CHECK(!space.entered_by(Box{{1, 0, 0}, {}, {1 + 1e-10, 1, 1}}));
  CHECK(space.entered_by(Box{{1, 0, 0}, {}, {1 + 1e-8, 1, 1}}));
  CHECK(!ClearSpace(spheres, 0.5, -1e-9, run).entered_by(Sphere{{0, 0, 0}, 1.5}));
  CHECK(ClearSpace(spheres, 0.5, -1e-9, run).entered_by(Sphere{{0, 0, 0}, 1.501}));
  // Sides move out by the padding, a corner by more.
  const std::vector<Sphere> at_corner{{{2, 2, 2}, 1}};
  CHECK(ClearSpace(at_corner, 0.45, -1e-9, run).entered_by(Box{{0, 0, 0}, {}, {1, 1, 1}}));
  CHECK(!ClearSpace(at_corner, 0.4, -1e-9, run).entered_by(Box{{0, 0, 0}, {}, {1, 1, 1}}));
  CHECK(space.entered_by(Sphere{{3, 0, 0}, 0.01}));  // inside it
  CHECK(!ClearSpace().entered_by(Sphere{{0, 0, 0}, 1}));
  // In its bounding box, but not inside it.
  CHECK(!space.entered_by(Capsule{{0, -5, 0}, {6, 1, 0}, 0.1}));
}

TEST(a_shape_enters_in_unit_coordinates_what_it_enters_in_the_input) {
  Random random(8);
  Run run(1);
  for (int round = 0; round < 50; ++round) {
    const Similarity to_input{random_rotation(random), random_point(random, 5), random.uniform(0.1, 100)};
    std::vector<Sphere> spheres(20);
    for (Sphere& s : spheres) s = transformed(Sphere{random_point(random, 2), random.uniform(0.05, 0.3)}, to_input);
    const ClearSpace in_input(spheres, 0, -1e-9 * to_input.scale, run);
    const ClearSpace in_unit(before(to_input, spheres), 0, -1e-9, run);
    const Shape shape = random_shape(random, static_cast<Kind>(round % kKindCount));
    CHECK(in_unit.entered_by(shape) == in_input.entered_by(transformed(shape, to_input)));
  }
}
