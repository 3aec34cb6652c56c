// Judges the proof by sampled places and centres, where brute force decides which places a ball can cover.
#include "hulls/open_space.hpp"

#include "hulls/overlap.hpp"
#include "tests/check.hpp"
#include "tests/meshes.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::hulls;
using namespace hitbox::tests;

namespace {

constexpr double kRadius = 0.12, kTolerance = 0.06;

double distance_of(const Shape& shape, const Vec3& p) {
  double distance = 0;
  signed_distance(shape, {&p, 1}, {&distance, 1});
  return distance;
}

double distance_of_box(const Bounds& box, const Vec3& p) { return norm(p - min(max(p, box.low), box.high)); }

// A cube, and random places near it that a ball covers.
struct Scene {
  Bounds cube{{0, 0, 0}, {1, 1, 1}};
  SpaceOptions options{.radius = kRadius, .tolerance = kTolerance};
  std::vector<Vec3> covered;
  std::shared_ptr<const OpenSpace> space;

  explicit Scene(std::vector<HalfSpace> half_spaces = {}, std::vector<Shape> shapes = {}) {
    options.half_spaces = std::move(half_spaces);
    options.shapes = std::move(shapes);
    Run run(2);
    space = OpenSpace::around(box_mesh(cube).view(), options, run).value();
    Random random(3);
    std::vector<Vec3> centers;
    while (centers.size() < 3000)
      if (const Vec3 p = place(random); has_room(p)) centers.push_back(p);
    for (int k = 0; k < 3000; ++k) {
      const Vec3 p = place(random);
      const auto covers = [&](const Vec3& c) { return norm(p - c) < kRadius; };
      if (std::ranges::any_of(centers, covers)) covered.push_back(p);
    }
  }

  static Vec3 place(Random& random) { return Vec3{0.5, 0.5, 0.5} + random_point(random, 0.5 + kRadius + kTolerance); }
  bool has_room(const Vec3& p) const {
    double of_blockers = Bounds::kInfinity;
    for (const HalfSpace& half : options.half_spaces) of_blockers = std::min(of_blockers, half.above(p));
    for (const Shape& shape : options.shapes) of_blockers = std::min(of_blockers, distance_of(shape, p));
    return distance_of_box(cube, p) >= kRadius + kTolerance && of_blockers >= kRadius;
  }
};

void check_proofs(const Scene& scene) {
  Random random(5);
  int clear = 0, entering = 0;
  for (int k = 0; k < 500; ++k) {
    const Shape shape = transformed(random_shape(random, static_cast<Kind>(k % kKindCount)),
                                    {random_rotation(random), Scene::place(random), 0.2});
    const bool enters =
        std::ranges::any_of(scene.covered, [&](const Vec3& p) { return distance_of(shape, p) < -1e-12; });
    const bool is_clear = !scene.space->entered_by(shape);
    CHECK(!(is_clear && enters));
    clear += is_clear;
    entering += enters;
  }
  CHECK(clear > 10 && entering > 10);
}

}  // namespace

TEST(open_space_calls_no_shape_clear_that_enters) {
  check_proofs(Scene());
  check_proofs(Scene({{{0, 0, 1}, -0.1}}));
  check_proofs(Scene({}, {Box{{1.4, 0.5, 0.5}, {}, {0.2, 1, 1}}}));
}

TEST(open_space_lets_shapes_touch_its_border) {
  const Scene scene;
  const auto larger_by = [](double by) { return Box{{0.5, 0.5, 0.5}, {}, {0.5 + by, 0.5, 0.5}}; };
  CHECK(!scene.space->entered_by(larger_by(0)));
  CHECK(!scene.space->entered_by(larger_by(0.98 * kTolerance)));
  CHECK(scene.space->entered_by(larger_by(1.01 * kTolerance)));
}

TEST(open_space_keeps_the_room_around_points_of_the_user) {
  Mesh shell = box_mesh({{0, 0, 0}, {2, 2, 2}});
  add_box(shell, {{0.2, 0.2, 0.2}, {1.8, 1.8, 1.8}});
  Run run(1);
  const auto space = OpenSpace::around(
      shell.view(), {.radius = 0.1, .tolerance = 0.05, .clear_points = {{1, 1, 1}, {0.1, 1, 1}}}, run);
  CHECK(space.ok() && space.value()->spheres_of_user().size() == 2);
  CHECK(space.value()->entered_by(Sphere{{1, 1, 1}, 0.01}));
  CHECK(space.value()->entered_by(Sphere{{1.4, 1, 1}, 0.01}));
  CHECK(!space.value()->entered_by(Sphere{{0.1, 1.5, 1}, 0.05}));
}

TEST(overlap_counts_the_spheres_that_shapes_enter) {
  Run run(2);
  const auto space_around = OpenSpace::around(window().view(), {.radius = 0.1, .tolerance = 0.04}, run);
  const NavigableSpace space = OpenSpace::described(space_around.value());
  const std::vector<Shape> shapes{Box{{0.5, 0.15, 0.05}, {}, {0.5, 0.15, 0.05}},  // a bar of the window
                                  Box{{0.5, 0.5, 0.05}, {}, {0.5, 0.5, 0.05}},    // over its hole
                                  Sphere{{9, 9, 9}, 1}};
  const Overlap found = measured_overlap(space, shapes, run);
  CHECK(found.is_proved && found.deepest == 1);
  CHECK((found.enters == std::vector<bool>{false, true, false}));
  const auto is_entered = [&](const Sphere& s) {
    return std::ranges::any_of(shapes,
                               [&](const Shape& shape) { return distance_of(shape, s.center) < s.radius - 1e-9; });
  };
  const auto entered = static_cast<size_t>(std::ranges::count_if(space.spheres, is_entered));
  CHECK(entered > 0 && found.entered == entered);
  NavigableSpace alone = space;
  alone.proof.reset();
  const Overlap without = measured_overlap(alone, shapes, run);
  CHECK(!without.is_proved && without.entered == entered);
  CHECK(measured_overlap(alone, {}, run).entered == 0);
}
