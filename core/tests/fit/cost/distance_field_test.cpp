// Compares quick distances with the nearest of all triangles.
#include "fit/cost/distance_field.hpp"

#include "base/random.hpp"
#include "geometry/triangle.hpp"
#include "mesh/triangulate.hpp"
#include "tests/check.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::fit;
using tests::mesh_of;

namespace {

// Thin triangles, aligned with the axes and not, down to a thickness below the precision of floats.
Mesh needles(Random& random, size_t count) {
  Mesh mesh;
  for (size_t k = 0; k < count; ++k) {
    const double thickness = 0.3 * std::pow(10.0, -2.0 - static_cast<double>(k % 5));
    const Frame frame = k % 2 == 0 ? Frame{} : to_frame(tests::random_rotation(random));
    const Vec3 corner = tests::random_point(random, 0.3);
    for (const Vec3& local : {Vec3{}, Vec3{0.3, 0, 0}, Vec3{k % 3 == 0 ? 0.3 : 0.1, thickness, 0}})
      mesh.vertices.push_back(corner + frame.to_world(local));
    for (size_t j = 0; j < 3; ++j) mesh.indices.push_back(static_cast<uint32_t>(3 * k + j));
    mesh.offsets.push_back(static_cast<uint32_t>(mesh.indices.size()));
  }
  return mesh;
}

// Triangles at random places, some without area, without shared edges to walk over.
Mesh soup(Random& random, size_t count) {
  Mesh mesh;
  for (size_t k = 0; k < count; ++k) {
    const Vec3 corner = tests::random_point(random, 0.4);
    mesh.vertices.push_back(corner);
    mesh.vertices.push_back(corner + tests::random_point(random, 0.1));
    mesh.vertices.push_back(k % 8 == 0 ? corner : corner + tests::random_point(random, 0.1));
    for (size_t j = 0; j < 3; ++j) mesh.indices.push_back(static_cast<uint32_t>(3 * k + j));
    mesh.offsets.push_back(static_cast<uint32_t>(mesh.indices.size()));
  }
  return mesh;
}

double true_distance(const Mesh& mesh, const Vec3& p) {
  double least_distance = Bounds::kInfinity;
  for (size_t f = 0; f < mesh.offsets.size() - 1; ++f) {
    const uint32_t* const corner = mesh.indices.data() + mesh.offsets[f];
    const Vec3 nearest =
        closest_point_on_triangle(p, mesh.vertices[corner[0]], mesh.vertices[corner[1]], mesh.vertices[corner[2]]);
    least_distance = std::min(least_distance, norm(p - nearest));
  }
  return least_distance;
}

std::vector<Vec3> random_points(Random& random, size_t count) {
  std::vector<Vec3> points;
  for (size_t k = 0; k < count; ++k) points.push_back(tests::random_point(random, 0.7));
  return points;
}

constexpr double kFloats = 1e-6;  // coordinates are about 1

}  // namespace

TEST(quick_distances_are_never_below_the_true_ones_and_near_them) {
  Random random(11);
  Run run(1);
  for (int k = 0; k < 12; ++k) {
    const Mesh mesh =
        k % 2 == 0 ? soup(random, 60) : mesh_of(transformed(tests::random_hull(random), {{}, {}, 0.3}), 12);
    const DistanceField field(mesh.view(), false, {}, 0, run);
    const std::vector<Vec3> points = random_points(random, 203);
    std::vector<double> quick(points.size());
    field.at(points, quick);
    double sum = 0, true_sum = 0;
    for (size_t p = 0; p < points.size(); ++p) {
      const double distance = true_distance(mesh, points[p]);
      CHECK(quick[p] >= distance - kFloats);
      const double careful = field.carefully_at(points[p]);
      CHECK(careful >= distance - kFloats);
      CHECK(careful <= quick[p] + kFloats);
      CHECK(field.to_surface(points[p]) == quick[p]);  // one without AVX2, the other with it if available
      sum += quick[p];
      true_sum += distance;
    }
    CHECK(sum <= (k % 2 == 0 ? 1.03 : 1.01) * true_sum);  // a soup has no shared edges to walk over
  }
}

TEST(distances_from_needles_are_not_below_the_true_ones) {
  Random random(15);
  Run run(1);
  for (int k = 0; k < 20; ++k) {
    const Mesh mesh = needles(random, 1 + static_cast<size_t>(k) % 5);
    const DistanceField field(mesh.view(), false, {}, 0, run);
    std::vector<Vec3> points = random_points(random, 200);
    for (size_t p = 0; p < points.size(); p += 2) {  // in the plane of one of them
      const auto f = static_cast<size_t>(random.uniform(0, 0.999) * static_cast<double>(mesh.offsets.size() - 1));
      const Vec3 a = mesh.vertices[3 * f], ab = mesh.vertices[3 * f + 1] - a, ac = mesh.vertices[3 * f + 2] - a;
      points[p] = a + ab * random.uniform(-1, 2) + ac * random.uniform(-1, 2);
    }
    std::vector<double> quick(points.size());
    field.at(points, quick);
    for (size_t p = 0; p < points.size(); ++p) CHECK(quick[p] >= true_distance(mesh, points[p]) - 1e-5);
  }
}

TEST(a_distance_does_not_depend_on_what_is_asked_with_it) {
  Random random(12);
  Run run(1);
  const Mesh mesh = mesh_of(Capsule{{-0.3, 0, 0}, {0.3, 0.1, 0}, 0.2}, 12);
  const DistanceField field(mesh.view(), true, {}, 0, run);
  const std::vector<Vec3> points = random_points(random, 101);
  std::vector<double> together(points.size()), alone(points.size());
  field.at(points, together);
  for (size_t k = 0; k < points.size(); ++k) field.at({&points[k], 1}, {&alone[k], 1});
  CHECK(together == alone);
}

TEST(inside_a_solid_a_distance_counts_little) {
  Random random(13);
  Run run(1);
  const Shape ball = Sphere{{}, 0.4};
  const Mesh mesh = mesh_of(ball, 12);
  const DistanceField solid(mesh.view(), true, {}, 0, run), shell(mesh.view(), false, {}, 0, run);
  const std::vector<Vec3> points = random_points(random, 200);
  std::vector<double> of_solid(points.size()), of_shell(points.size());
  solid.at(points, of_solid);
  shell.at(points, of_shell);
  for (size_t k = 0; k < points.size(); ++k) {
    if (std::abs(norm(points[k]) - 0.4) < 0.05) continue;  // points between the ball and its facets
    const bool inside = norm(points[k]) < 0.4;
    CHECK_NEAR(of_solid[k], (inside ? 0.05 : 1.0) * of_shell[k], 1e-12);
  }
}

TEST(importance_is_that_of_the_nearest_face) {
  Random random(14);
  Run run(1);
  Mesh mesh;  // two squares, one above the other
  for (const double z : {-0.3, 0.3})
    for (const auto& [x, y] : {std::pair{-0.4, -0.4}, {0.4, -0.4}, {0.4, 0.4}, {-0.4, 0.4}})
      mesh.vertices.push_back({x, y, z});
  mesh.indices = {0, 1, 2, 3, 4, 5, 6, 7};
  mesh.offsets = {0, 4, 8};
  const std::array<double, 2> importance = {1, 7};
  const DistanceField plain_field(mesh.view(), false, {}, 0, run), field(mesh.view(), false, importance, 0, run);
  const std::vector<Vec3> points = random_points(random, 100);
  std::vector<double> plain_distance(points.size()), distance(points.size());
  plain_field.at(points, plain_distance);
  field.at(points, distance);
  for (size_t k = 0; k < points.size(); ++k)
    if (std::abs(points[k].z) > 0.01) CHECK_NEAR(distance[k], (points[k].z > 0 ? 7 : 1) * plain_distance[k], 1e-6);
}
