// Compares depths and balls with what the triangles themselves say.
#include "spheres/ball_fitter.hpp"
#include "tests/check.hpp"
#include "tests/meshes.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::spheres;
using namespace hitbox::tests;

namespace {

struct Scene {
  Mesh mesh;
  Run run{1};
  Bounds box = bounds_of(mesh.vertices);
  TriangleBvh surface{mesh.view(), run};
  Winding winding{surface};
  DepthGrid grid{surface, winding, box, run};
  BallFitter fitter{surface, winding, grid};

  explicit Scene(Mesh from) : mesh(std::move(from)) {}
  Vec3 point(Random& random) const {
    return {random.uniform(box.low.x, box.high.x), random.uniform(box.low.y, box.high.y),
            random.uniform(box.low.z, box.high.z)};
  }
};

// A bar and its depth, by its six sides. Its diagonal is one.
const Vec3 kHalf = Vec3{6, 3, 2} / 14;

Mesh bar() { return box_mesh({kHalf * -1, kHalf}); }

double depth_in_bar(const Vec3& p) {
  const Vec3 beyond = abs(p) - kHalf;
  const double inside = -max_component(beyond);
  return inside >= 0 ? inside : -norm(max(beyond, {0, 0, 0}));
}

}  // namespace

TEST(depths_of_the_tree_are_exact) {
  const Scene scene(bar());
  Random random(1);
  for (int round = 0; round < 1000; ++round) {
    const Vec3 p = scene.point(random) * random.uniform(0.5, 2);
    CHECK_NEAR(scene.fitter.depth(p), depth_in_bar(p), 1e-12);
  }
}

TEST(depths_of_the_grid_are_never_too_small_and_lead_to_the_surface) {
  for (const Mesh& mesh : {bar(), torus(24, 0.35, 0.1)}) {
    const Scene scene(mesh);
    const Vec3 size = scene.box.size() + Vec3{0.02, 0.02, 0.02};
    const double cell = std::max(std::cbrt(size.x * size.y * size.z) / 32, 1.0 / 96);
    double sum = 0, exact_sum = 0;
    Random random(2);
    for (int round = 0; round < 2000; ++round) {
      const Vec3 p = scene.point(random);
      const DepthGrid::Depth found = scene.grid.at(p);
      const double exact = scene.fitter.depth(p);
      CHECK(std::abs(found.value) >= std::abs(exact) - 1e-9);
      CHECK_NEAR(std::abs(found.value), norm(p - found.near), 1e-9);
      CHECK(std::abs(scene.fitter.depth(found.near)) <= 1e-6);
      // The nearest node is at most half a cell's diagonal away, and so is its way to the surface longer.
      CHECK(std::abs(found.value) <= std::abs(exact) + std::sqrt(3.0) * cell);
      if (std::abs(exact) > cell) CHECK((found.value > 0) == (exact > 0));
      sum += std::abs(found.value);
      exact_sum += std::abs(exact);
    }
    CHECK(sum <= 1.025 * exact_sum);
  }
}

TEST(balls_hold_their_points_and_stick_out_no_more_than_the_smallest_ball) {
  const Scene scene(bar());
  Random random(3);
  for (int round = 0; round < 60; ++round) {
    std::vector<Vec3> points;
    const Vec3 center = scene.point(random);
    for (uint64_t k = 1 + random.below(12); k > 0; --k)
      points.push_back(max(min(center + random_point(random, 0.15), kHalf), kHalf * -1));
    const Ball smallest = min_ball(points);
    for (const auto care : {BallFitter::Care::rough, BallFitter::Care::fine}) {
      const DeepBall ball = scene.fitter.around(points, smallest.center, 0, care);
      for (const Vec3& p : points) CHECK(ball.distance(p) <= 1e-12);
      if (care == BallFitter::Care::rough) continue;
      CHECK_NEAR(ball.depth, depth_in_bar(ball.center), 1e-9);
      CHECK(ball.sticks_out() <= smallest.radius - depth_in_bar(smallest.center) + 1e-9);
    }
  }
}

TEST(a_trimmed_ball_leaves_out_no_more_than_its_share) {
  const Scene scene(bar());
  Random random(4);
  for (int round = 0; round < 40; ++round) {
    std::vector<Vec3> points;
    for (int k = 0; k < 50; ++k) points.push_back(scene.point(random));
    const DeepBall ball = scene.fitter.around(points, {}, 0.1, BallFitter::Care::fine);
    int outside = 0;
    for (const Vec3& p : points) outside += ball.distance(p) > 1e-9;
    CHECK(outside <= 5);
  }
}

TEST(waste_is_what_lies_outside_the_mesh_and_the_other_balls) {
  const Scene scene(bar());
  const DeepBall inner{{}, 0.1, 0.14}, outer{{0, 0, 0.2}, 0.15, 0};
  const std::vector<DeepBall> none, around = {{{0, 0, 0.2}, 0.3, 0}};
  CHECK(scene.fitter.waste(inner, none) == 0);
  CHECK(scene.fitter.waste(outer, around) == 0);
  // Brute force: the sphere's surface in thin rings, those above the bar's side, all of them nearest to that side.
  double expected = 0;
  constexpr int kRings = 10'000;
  for (int k = 0; k < kRings; ++k) {
    const double z = outer.center.z + outer.radius * (2 * (k + 0.5) / kRings - 1);
    expected += 4 * kPi * outer.radius * outer.radius / kRings * std::max(z - kHalf.z, 0.0);
  }
  CHECK_NEAR(scene.fitter.waste(outer, none), expected, 0.15 * expected);
}
