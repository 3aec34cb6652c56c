// The complete carve: known shapes, and its guarantees for others.
#include "hitbox/carve.hpp"

#include <algorithm>
#include <set>

#include "bvh/bvh.hpp"
#include "tests/check.hpp"
#include "tests/meshes.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::bvh;

namespace {

double distance_of(const Shape& shape, const Vec3& p) {
  double distance = 0;
  signed_distance(shape, {&p, 1}, {&distance, 1});
  return distance;
}

Vec3 point_of(const std::array<Vec3, 3>& corners, Random& random) {
  double u = random.uniform(), v = random.uniform();
  if (u + v > 1) u = 1 - u, v = 1 - v;
  return corners[0] + (corners[1] - corners[0]) * u + (corners[2] - corners[0]) * v;
}

// The face of each triangle. Faces are triangulated in order.
std::vector<size_t> faces_of_triangles(const Mesh& mesh) {
  std::vector<size_t> faces;
  for (uint32_t f = 0; f < mesh.view().face_count(); ++f) faces.insert(faces.end(), mesh.view().face(f).size() - 2, f);
  return faces;
}

}  // namespace

TEST(carve_a_window_is_four_parts_whose_hole_stays_open) {
  const Mesh mesh = tests::window();
  Run run(2);
  CarveOptions options;
  options.space.radius = 0.1;
  options.space.tolerance = 0.02;
  for (const double effort : {0.0, 1.0}) {
    options.effort = effort;
    const CarveResult carved = carve(mesh.view(), options, run).value();
    CHECK(carved.shapes.size() == 4);
    CHECK(carved.is_proved && carved.depths.empty());
    for (const Shape& shape : carved.shapes) {
      const Vec3 middle{0.5, 0.5, 0.05};
      double distance = 0;
      signed_distance(shape, {&middle, 1}, {&distance, 1});
      CHECK(distance >= 0.2 - 0.02);
    }
  }
  options.count = 1;
  const CarveResult forced = carve(mesh.view(), options, run).value();
  CHECK(forced.shapes.size() == 1 && forced.depths == std::vector{1.0});
}

// Every point of the mesh lies in a hull that names its face, and no hull is too near to a ball's centre.
TEST(carve_holds_the_mesh_and_keeps_out_of_the_space) {
  Random random(1);
  Run run(2);
  Mesh two = tests::box_mesh({{0, 0, 0}, {0.4, 1, 1}});
  tests::add_box(two, {{0.7, 0, 0}, {1, 1, 0.5}});
  for (const Mesh& mesh : {tests::angle_mesh(1, 0.3, 0.4), tests::tray(1, 0.5), tests::torus(12, 0.4, 0.15), two}) {
    CarveOptions options;
    options.space.radius = 0.08;
    options.space.tolerance = 0.04;
    const CarveResult carved = carve(mesh.view(), options, run).value();
    CHECK(carved.is_proved && carved.depths.empty() && carved.shapes.size() > 1);
    CHECK(carved.faces.size() == carved.shapes.size());
    const TriangleBvh surface(mesh.view(), run);
    const std::vector<size_t> face_of = faces_of_triangles(mesh);
    for (uint32_t t = 0; t < surface.size(); ++t)
      for (int s = 0; s < 6; ++s) {
        const Vec3 p = point_of(surface.corners(t), random);
        bool is_held = false;
        for (size_t k = 0; k < carved.shapes.size() && !is_held; ++k)
          is_held = std::binary_search(carved.faces[k].begin(), carved.faces[k].end(), face_of[t]) &&
                    distance_of(carved.shapes[k], p) <= 1e-7;
        CHECK(is_held);
      }
    // Centres that a ball can reach from outside on a straight path.
    const double least = options.space.radius + options.space.tolerance;
    int looked_at = 0;
    for (int k = 0; k < 3000; ++k) {
      const Vec3 from = bounds_of(mesh.vertices).center() + tests::random_direction(random) * 3;
      const Vec3 along = normalized(bounds_of(mesh.vertices).center() + tests::random_point(random, 0.8) - from);
      double t = 0;  // the distance with room for the ball
      for (;;) {
        const double room = std::sqrt(surface.closest(from + along * t).distance_sq) - least;
        if (room < 1e-4 || t > 6) break;
        t += room;
      }
      if (t > 6) continue;
      ++looked_at;
      for (const Shape& shape : carved.shapes)
        CHECK(distance_of(shape, from + along * t) >= options.space.radius - 1e-4);
    }
    CHECK(looked_at > 200);
  }
}

TEST(carve_is_the_same_for_any_number_of_threads) {
  const Mesh mesh = tests::torus(12, 0.4, 0.15);
  CarveOptions options;
  options.space.radius = 0.1;
  options.space.tolerance = 0.04;
  options.effort = 0.5;
  Run one(1), three(3);
  const CarveResult expected = carve(mesh.view(), options, one).value(),
                    found = carve(mesh.view(), options, three).value();
  CHECK(found.shapes.size() == expected.shapes.size() && found.faces == expected.faces);
  for (size_t k = 0; k < std::min(found.shapes.size(), expected.shapes.size()); ++k)
    CHECK(std::get<Hull>(found.shapes[k]).vertices == std::get<Hull>(expected.shapes[k]).vertices);
}

TEST(carve_a_simple_shape_is_that_shape) {
  const Mesh mesh = tests::box_mesh({{0, 0, 0}, {1, 2, 3}});
  Run run(1);
  CarveOptions options;
  options.space.radius = 0.1;
  options.space.tolerance = 0.02;
  const CarveResult box = carve(mesh.view(), options, run).value();
  CHECK(box.shapes.size() == 1 && std::holds_alternative<Box>(box.shapes[0]) && box.is_proved);
  options.hulls_only = true;
  const CarveResult hull = carve(mesh.view(), options, run).value();
  CHECK(hull.shapes.size() == 1 && std::holds_alternative<Hull>(hull.shapes[0]) && hull.is_proved);
  CHECK_NEAR(volume(hull.shapes[0]), 6, 1e-9);
}
