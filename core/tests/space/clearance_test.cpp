// Compares the room around a point with a test of all triangles and all blockers.
#include "space/clearance.hpp"

#include <algorithm>

#include "geometry/triangle.hpp"
#include "hulls/part_hull.hpp"
#include "space/support_net.hpp"
#include "tests/check.hpp"
#include "tests/meshes.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::hulls;
using namespace hitbox::internal::space;

namespace {

std::vector<std::array<Vec3, 3>> triangles_of(const TriangleBvh& surface) {
  std::vector<std::array<Vec3, 3>> all;
  for (uint32_t k = 0; k < surface.size(); ++k) all.push_back(surface.corners(k));
  return all;
}

// The tolerance towards a direction, from its definition: the floor's within 30 degrees of up, the other one beyond 60.
double tolerance_towards(const Tolerance& tolerance, const Vec3& direction) {
  const double degrees = std::acos(std::clamp(dot(direction, tolerance.up), -1.0, 1.0)) * 180 / kPi;
  if (tolerance.floor == 0 || degrees >= 60) return tolerance.all;
  if (degrees <= 30) return tolerance.floor;
  const double cosine = std::cos(degrees * kPi / 180), upper = std::cos(kPi / 6), lower = std::cos(kPi / 3);
  return tolerance.all + (tolerance.floor - tolerance.all) * (cosine - lower) / (upper - lower);
}

}  // namespace

TEST(space_clearance_is_that_of_the_worst_triangle) {
  Random random(1);
  Run run(1);
  for (const Mesh& mesh : {tests::window(), tests::torus(12, 1, 0.4), tests::tray(1, 0.5)}) {
    const TriangleBvh surface(mesh.view(), run);
    const auto triangles = triangles_of(surface);
    for (const double floor : {0.0, 0.01, 0.05}) {
      const Tolerance tolerance{0.08, floor, normalized(Vec3{0.2, 0, 1})};
      const Blockers none;
      const Clearance clearance(surface, tolerance, none);
      for (int k = 0; k < 200; ++k) {
        const Vec3 p = Vec3{0.5, 0.5, 0} + tests::random_point(random, 1.5);
        double expected = Bounds::kInfinity, distance = Bounds::kInfinity;
        for (const auto& [a, b, c] : triangles) {
          const Vec3 away = p - closest_point_on_triangle(p, a, b, c);
          distance = std::min(distance, norm(away));
          expected = std::min(expected, norm(away) - tolerance_towards(tolerance, normalized(away)));
        }
        CHECK_NEAR(clearance.of_mesh(p), expected, 1e-12);
        CHECK_NEAR(clearance.at(p), expected, 1e-12);
        CHECK_NEAR(clearance.distance(p), distance, 1e-12);
        CHECK_NEAR(clearance.distance(p, distance * 1.01), distance, 1e-12);
        CHECK_NEAR(clearance.at(p, p - clearance.nearest(p)), expected, 1e-12);
      }
    }
  }
}

// Bounds that the search relies on: it would miss a larger change.
TEST(space_clearance_changes_no_faster_than_it_says) {
  Random random(2);
  Run run(1);
  const Mesh mesh = tests::window();
  const TriangleBvh surface(mesh.view(), run);
  const Blockers none;
  for (const double floor : {0.0, 0.02}) {
    const Clearance clearance(surface, {0.06, floor, {0, 0, 1}}, none);
    for (int k = 0; k < 3000; ++k) {
      const Vec3 p = Vec3{0.5, 0.5, 0} + tests::random_point(random, 0.7);
      const double room = clearance.of_mesh(p), away = random.uniform(0, 0.05);
      if (room + clearance.tolerance().least() <= 2 * away) continue;
      const Vec3 q = p + tests::random_direction(random) * away;
      CHECK(std::abs(clearance.of_mesh(q) - room) <= clearance.steepness(room, away) * away + 1e-12);
      const Vec3 from_mesh = p - clearance.nearest(p);
      const double least = clearance.tolerance().least_near(normalized(from_mesh), norm(from_mesh), away);
      CHECK(least >= clearance.tolerance().least() - 1e-15 && least <= clearance.tolerance().all + 1e-15);
      const Vec3 turned = normalized(q - clearance.nearest(p));  // from the same place of the mesh
      CHECK(least <= clearance.tolerance().along(turned) + 1e-12);
    }
  }
}

TEST(space_blockers_are_the_nearest_of_all) {
  Random random(3);
  for (int k = 0; k < 40; ++k) {
    Blockers blockers;
    CHECK(blockers.empty() && blockers.distance({0, 0, 0}) == Bounds::kInfinity);
    for (uint64_t n = random.below(4); n-- > 0;)
      blockers.half_spaces.push_back({tests::random_direction(random), random.uniform(-1, 0)});
    for (uint64_t n = 1 + random.below(4); n-- > 0;)
      blockers.shapes.push_back(tests::random_shape(random, static_cast<Kind>(random.below(7))));
    blockers.slack = random.uniform(0, 0.1);
    CHECK(!blockers.empty());
    Vec3 last{};
    double last_distance = blockers.distance(last);
    for (int s = 0; s < 100; ++s) {
      const Vec3 p = tests::random_point(random, 3);
      double expected = Bounds::kInfinity;
      for (const auto& half : blockers.half_spaces) expected = std::min(expected, dot(half.normal, p) - half.offset);
      for (const Shape& shape : blockers.shapes) {
        double found = 0;
        signed_distance(shape, {&p, 1}, {&found, 1});
        expected = std::min(expected, found);
      }
      const double distance = blockers.distance(p);
      CHECK_NEAR(distance, expected + blockers.slack, 1e-12);
      CHECK(std::abs(distance - last_distance) <= norm(p - last) + 1e-9);
      last = p;
      last_distance = distance;
    }
  }
}

TEST(space_blockers_by_a_function_take_part) {
  Run run(1);
  const Mesh mesh = tests::box_mesh({{0, 0, 0}, {1, 1, 1}});
  const TriangleBvh surface(mesh.view(), run);
  Blockers blockers;
  blockers.slack = 0.01;
  blockers.function = [](std::span<const Vec3> points, std::span<double> out) {
    for (size_t k = 0; k < points.size(); ++k) out[k] = points[k].z + 0.5;
  };
  blockers.half_spaces.push_back({{1, 0, 0}, -2});
  const Clearance clearance(surface, {0.1, 0, {0, 0, 1}}, blockers);
  const Vec3 below{0.5, 0.5, -0.3}, beside{-1.5, 0.5, 3};
  CHECK_NEAR(clearance.of_blockers(below), 0.21, 1e-12);
  CHECK_NEAR(clearance.at(below), std::min(0.3 - 0.1, 0.21), 1e-12);
  CHECK_NEAR(clearance.of_blockers(beside), 0.51, 1e-12);
  CHECK_NEAR(clearance.gradient({0.5, 0.5, -0.45}).z, 1, 1e-6);  // away from the floor
  CHECK_NEAR(clearance.gradient({0.5, 0.5, -0.1}).z, -1, 1e-6);  // away from the box
}

TEST(space_support_net_is_never_further_than_the_hull) {
  Random random(4);
  for (const size_t count : {4, 30, 300}) {
    std::vector<Vec3> points;
    for (size_t k = 0; k < count; ++k) points.push_back(tests::random_point(random, 1));
    const SupportNet net(points);
    const PartHull hull = part_hull(points, 0);
    for (int k = 0; k < 500; ++k) {
      const Vec3 p = tests::random_point(random, 3), q = p + tests::random_point(random, 0.5);
      CHECK(net.distance(p) <= hull.distance(p) + 1e-12);
      CHECK(std::abs(net.distance(p) - net.distance(q)) <= norm(p - q) + 1e-12);
      if (hull.distance(p) > 0.5) CHECK(net.distance(p) > 0.9 * hull.distance(p) - 0.3);  // and the bound is useful
    }
    CHECK(net.distance(hull.box.center()) < 0);
  }
}
