// Compares the largest distance of a shape with dense samples of its surface.
#include "measure/farthest.hpp"

#include "base/random.hpp"
#include "measure/distance.hpp"
#include "shapes/surface.hpp"
#include "tests/check.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::measure;
using tests::mesh_of;

namespace {

std::vector<Shape> one_of_each() {
  const Quaternion turn{0.1, 0.7, -0.1, 0.7};
  return {Box{{0.1, 0.2, 0.3}, turn, {0.5, 0.2, 0.9}}, Sphere{{-0.3, 0.5, 0.2}, 0.7},
          Capsule{{0, 0, 1}, {1, 0.2, 0.5}, 0.4},      Cylinder{{0, 1, 0}, {0.5, -1, 0.3}, 0.6},
          Frustum{{0, 0, 0}, {0, 0.3, 2}, 0.9, 0.2},   Prism{{0, 1, 0}, turn, 0.3, 0.8, 0.1, 0.6}};
}

double farthest_sample(const Shape& shape, const Mesh& mesh, bool solid, size_t count) {
  Run run(1);
  Random random(5);
  std::vector<Vec3> points;
  const std::vector<SurfacePatch> patches = surface_patches(shape);
  for (const SurfacePatch& patch : patches)
    for (size_t k = 0; k < count / patches.size(); ++k)
      points.push_back(point_on(patch, random.uniform(), random.uniform()).point);
  const std::vector<double> distances = distances_to_mesh(points, mesh.view(), run).distances;
  const std::vector<uint8_t> inside = points_inside(points, mesh.view(), run);
  double farthest = 0;
  for (size_t k = 0; k < points.size(); ++k)
    if (!solid || !inside[k]) farthest = std::max(farthest, distances[k]);
  return farthest;
}

FarthestGoal to_within(double gap) {
  FarthestGoal goal;
  goal.absolute = gap;
  return goal;
}

}  // namespace

TEST(no_sample_of_a_shape_is_beyond_its_bounds) {
  Run run(1);
  for (const Shape& around : one_of_each()) {
    const Mesh mesh = mesh_of(around, 9);
    for (const bool solid : {false, true}) {
      const OuterDistance distance(mesh.view(), solid, run);
      for (const Shape& shape : one_of_each()) {
        const Interval found = distance.farthest(shape, to_within(0.01), run);
        const double sampled = farthest_sample(shape, mesh, solid, 4000);
        CHECK(sampled <= found.high);
        CHECK(found.high - found.low <= 0.01 + 1e-7);
        CHECK(sampled >= found.low - 0.1);  // samples miss corners
      }
    }
  }
}

TEST(a_shape_inside_a_solid_does_not_stray_and_in_a_shell_it_does) {
  Run run(1);
  const Mesh mesh = mesh_of(Box{{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}, 3);
  const Shape ball = Sphere{{0.2, 0, 0}, 0.5};
  CHECK(OuterDistance(mesh.view(), true, run).farthest(ball, to_within(1e-4), run).high < 2e-4);
  const Interval in_shell = OuterDistance(mesh.view(), false, run).farthest(ball, to_within(1e-4), run);
  CHECK(in_shell.low <= 1 && in_shell.high >= 0.7);
}

TEST(the_corner_of_a_larger_cube_is_how_far_it_strays) {
  Run run(1);
  const Mesh mesh = mesh_of(Box{{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}, 3);
  const OuterDistance distance(mesh.view(), true, run);
  const Shape larger = Box{{0, 0, 0}, {0, 0, 0, 1}, {1.1, 1.1, 1.1}};
  const double truth = 0.1 * std::sqrt(3.0);
  const Interval found = distance.farthest(larger, to_within(1e-4), run);
  CHECK(found.low <= truth && truth <= found.high);
  FarthestGoal goal;
  goal.enough = truth * 1.001;
  CHECK(distance.farthest(larger, goal, run).high <= goal.enough);
  goal.enough = truth * 0.999;
  CHECK(distance.farthest(larger, goal, run).low > goal.enough);
}
