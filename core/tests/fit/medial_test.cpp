// Compares medial balls with those of solids whose medial axis is known.
#include "fit/shaping/medial.hpp"

#include "tests/check.hpp"
#include "tests/meshes.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::fit;
using namespace hitbox::tests;

namespace {

// Of a diagonal of one, as fit has it.
Mesh of_unit_diagonal(Mesh mesh) {
  const double diagonal = bounds_of(mesh.vertices).diagonal();
  for (Vec3& v : mesh.vertices) v = v / diagonal;
  return mesh;
}

struct Scene {
  Mesh mesh;
  Run run{1};
  TriangleBvh surface{mesh.view(), run};
  DistanceField field{mesh.view(), true, {}, 0, run};
  Surroundings around{surface, field};

  explicit Scene(const Mesh& from) : mesh(of_unit_diagonal(from)) {}
};

// A face, and a point of it.
struct Place {
  Vec3 point, normal;
};

Place random_place(const Mesh& mesh, Random& random) {
  const auto face = mesh.view().face(static_cast<uint32_t>(random.below(mesh.view().face_count())));
  const Vec3 a = mesh.vertices[face[0]], b = mesh.vertices[face[1]], c = mesh.vertices[face[2]];
  const double s = random.uniform(0.05, 0.5), t = random.uniform(0.05, 0.45);
  return {a + (b - a) * s + (c - a) * t, normalized(cross(b - a, c - a))};
}

}  // namespace

TEST(medial_balls_of_a_torus_lie_on_its_ring) {
  const Mesh mesh = torus(60, 1, 0.3);
  const Scene scene(mesh);
  const double scale = 1 / bounds_of(mesh.vertices).diagonal();
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const auto [point, normal] = random_place(scene.mesh, random);
    const Vec3 ring = normalized(Vec3{point.x, point.y, 0}) * scale;
    const MedialBall ball = medial_ball(scene.around, point, normal);
    CHECK_NEAR(ball.radius, 0.3 * scale, 0.02 * scale);
    CHECK(norm(ball.center - ring) <= 0.03 * scale);
  }
}

TEST(medial_balls_touch_their_point_and_are_nearly_empty) {
  Random random(2);
  for (const Mesh& mesh : {box_mesh({{0, 0, 0}, {3, 2, 1}}), window(), angle_mesh(3, 1, 1)}) {
    const Scene scene(mesh);
    double emptiness = 0;
    for (int round = 0; round < 100; ++round) {
      const auto [point, normal] = random_place(scene.mesh, random);
      const MedialBall ball = medial_ball(scene.around, point, normal);
      CHECK(ball.radius > 0);
      CHECK_NEAR(norm(ball.center - point), ball.radius, 1e-9);
      CHECK(norm(ball.center + normal * ball.radius - point) <= 1e-9);
      emptiness += std::min(std::sqrt(scene.surface.closest(ball.center).distance_sq) / ball.radius, 1.0) / 100;
    }
    // The field's distances are never too small, and only in the mean close to the true ones: a few balls are too
    // large.
    CHECK(emptiness >= 0.95);
  }
}

TEST(where_nothing_is_behind_the_surface_there_is_no_ball) {
  Mesh sheet;
  sheet.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  add_face(sheet, {0, 1, 2, 3});
  const Scene scene(sheet);
  CHECK(medial_ball(scene.around, {0.3, 0.3, 0}, {0, 0, 1}).radius == 0);
  const std::vector<uint32_t> faces = {0};
  CHECK(medial_moments(scene.mesh.view(), scene.around, faces).area == 0);
}

TEST(the_medial_frame_of_a_limb_lies_along_it) {
  Random random(3);
  for (int round = 0; round < 10; ++round) {
    const Vec3 start = random_point(random, 1), end = start + random_direction(random) * 3;
    const Scene scene(mesh_of(Capsule{start, end, 0.2}, 16));
    // Each of many groups of faces says where a few centres are; together they lie along the axis.
    Moments all;
    for (uint32_t f = 0; f < scene.mesh.view().face_count(); ++f) {
      const Moments one = medial_moments(scene.mesh.view(), scene.around, {&f, 1});
      if (one.area > 0) all = all.area > 0 ? all + one : one;
    }
    CHECK_NEAR(std::abs(dot(medial_frame(all).axis[0], normalized(end - start))), 1, 1e-3);
  }
}
