// Hulls of parts: compares distances with all triangles and volumes with the exact hull; thickness and caps.
#include "hulls/part_hull.hpp"

#include <algorithm>

#include "geometry/convex_hull.hpp"
#include "geometry/triangle.hpp"
#include "hulls/capped.hpp"
#include "tests/check.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::hulls;

namespace {

std::vector<Vec3> random_points(Random& random, size_t count, const Vec3& size = {1, 1, 1}) {
  std::vector<Vec3> points;
  for (size_t k = 0; k < count; ++k) {
    const Vec3 p = tests::random_point(random, 1);
    points.push_back({p.x * size.x, p.y * size.y, p.z * size.z});
  }
  return points;
}

double distance_by_all_triangles(const PartHull& hull, const Vec3& p) {
  double least = Bounds::kInfinity;
  bool is_inside = true;
  for (const auto& [a, b, c] : hull.mesh.triangles) {
    const Vec3 &u = hull.mesh.vertices[a], &v = hull.mesh.vertices[b], &w = hull.mesh.vertices[c];
    least = std::min(least, distance_to_triangle(p, {u, v, w}));
    is_inside = is_inside && dot(cross(v - u, w - u), p - u) <= 0;
  }
  return is_inside ? 0 : least;
}

// A point of the hull: the mean of its corners with random weights.
Vec3 point_of(const PartHull& hull, Random& random) {
  Vec3 sum;
  double total = 0;
  for (const Vec3& v : hull.mesh.vertices) {
    const double weight = std::pow(random.uniform(), 6);
    sum += v * weight;
    total += weight;
  }
  return sum / total;
}

}  // namespace

TEST(hulls_know_their_distances) {
  Random random(2);
  for (const size_t count : {5, 20, 400}) {
    for (const Vec3& size : {Vec3{1, 1, 1}, Vec3{1, 0.01, 0.3}}) {
      PartHull plain = part_hull(random_points(random, count, size), 0);
      PartHull planted = plain;
      planted.plant();
      CHECK((planted.tree != nullptr) == (plain.mesh.triangles.size() >= 48));
      size_t last[2] = {0, 0};
      for (int k = 0; k < 400; ++k) {
        const Vec3 p = tests::random_point(random, 2);
        const double expected = distance_by_all_triangles(plain, p);
        CHECK_NEAR(plain.distance(p), expected, 1e-9);
        CHECK_NEAR(planted.distance(p), expected, 1e-9);
        CHECK(plain.above(p) <= expected + 1e-9 && (expected == 0) == (plain.above(p) <= 0));
        CHECK(distance_by_all_triangles(plain, plain.nearest(p)) <= 1e-9);
        const double reach = random.uniform(0.01, 1.5);
        if (std::abs(expected - reach) < 1e-9) continue;
        CHECK(plain.is_within(p, reach, last[0]) == (expected < reach));
        CHECK(planted.is_within(p, reach, last[1]) == (expected < reach));
      }
    }
  }
}

TEST(hulls_hold_their_points_in_their_box) {
  Random random(3);
  for (int k = 0; k < 60; ++k) {
    const std::vector<Vec3> points = random_points(random, 4 + random.below(200));
    const PartHull hull = part_hull(points, 0);
    for (const Vec3& p : points) CHECK(hull.distance(p) <= 1e-12 && hull.box.contains(p));
    CHECK(hull.planes.size() == hull.mesh.triangles.size());
    CHECK_NEAR(hull.volume, convex_hull_volume(points), 1e-12);
    CHECK_NEAR(hull_volume(points), hull.volume, 1e-5);  // hull_volume moves the points by 1e-7
    CHECK(hull.volume < hull.box.volume());
  }
  CHECK(hull_volume(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}) == 0);
}

TEST(hulls_of_flat_and_straight_parts_get_a_thickness) {
  Random random(4);
  std::vector<std::vector<Vec3>> parts = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 0, 0}, {1, 1, 1}}, {{0.5, 0.5, 0.5}}};
  for (int k = 0; k < 20; ++k) {  // flat sets of points in any rotation
    const Frame frame = to_frame(tests::random_rotation(random));
    std::vector<Vec3> points;
    for (const Vec3& p : random_points(random, 12, {1, 1, 0})) points.push_back(frame.to_world(p));
    parts.push_back(std::move(points));
  }
  for (const std::vector<Vec3>& points : parts)
    for (const double thickness : {0.01, 1e-4}) {
      const PartHull hull = part_hull(points, thickness);
      CHECK(hull.volume > 0);
      for (const Vec3& p : points) CHECK(hull.distance(p) <= 1e-15);
      const PartHull thin = part_hull(points, 1e-7);  // each corner is near the part itself
      for (const Vec3& v : hull.mesh.vertices) CHECK(thin.distance(v) <= thickness * std::sqrt(3.0) + 1e-9);
    }
  // A hull that is thick enough keeps its thickness.
  const std::vector<Vec3> points = random_points(random, 20);
  CHECK(part_hull(points, 1e-3).mesh.vertices == part_hull(points, 0).mesh.vertices);
}

TEST(hulls_outermost_points_reach_furthest) {
  Random random(5);
  const std::vector<Vec3> points = random_points(random, 3000);
  const std::vector<Vec3> some = outermost(points, 60);
  CHECK(some.size() <= 60 && some.size() > 20);
  const PartHull all = part_hull(points, 0), few = part_hull(some, 0);
  for (const Vec3& p : some) CHECK(std::find(points.begin(), points.end(), p) != points.end() && all.above(p) <= 1e-9);
  CHECK(few.volume > 0.7 * all.volume && few.volume < all.volume);
  CHECK(outermost(std::span(points).first(50), 60).size() == 50);
}

TEST(hulls_with_a_cap_lie_around) {
  Random random(6);
  int capped = 0, refused = 0;
  for (int k = 0; k < 40; ++k) {
    std::vector<Vec3> points = random_points(random, 300);
    if (k % 2 == 0)
      for (Vec3& p : points) p = normalized(p);
    const PartHull hull = part_hull(points, 0);
    const auto most = static_cast<uint32_t>(8 + random.below(40));
    const double outside = random.uniform(0, 0.6);
    const auto found = capped_part_hull(hull, most, outside);
    refused += !found;
    if (!found) continue;
    ++capped;
    CHECK(found->mesh.vertices.size() <= most && found->volume >= hull.volume - 1e-9);
    for (const Vec3& v : hull.mesh.vertices) CHECK(found->distance(v) <= 1e-8);
    for (const Vec3& v : found->mesh.vertices) CHECK(hull.distance(v) <= outside + 1e-12);
    for (int s = 0; s < 50; ++s) CHECK(found->distance(point_of(hull, random)) <= 1e-8);
  }
  CHECK(capped > 5 && refused > 5);
}
