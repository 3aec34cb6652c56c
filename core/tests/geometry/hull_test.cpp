#include "base/random.hpp"
#include "geometry/convex_hull.hpp"
#include "geometry/min_ball.hpp"
#include "geometry/predicates.hpp"
#include "geometry/triangle.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::geometry;

namespace {

__extension__ typedef __int128 Wide;

Wide whole_determinant(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const auto at = [&](const Vec3& p, int k) { return static_cast<Wide>(p[k]) - static_cast<Wide>(a[k]); };
  Wide sum = 0;
  for (int k = 0; k < 3; ++k)
    sum += (at(b, (k + 1) % 3) * at(c, (k + 2) % 3) - at(b, (k + 2) % 3) * at(c, (k + 1) % 3)) * at(d, k);
  return sum;
}

Vec3 random_vec(Random& random) { return {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}; }

}  // namespace

TEST(orient3d_agrees_with_whole_numbers) {
  Random random(1);
  for (int k = 0; k < 200000; ++k) {
    const double range = k % 2 ? 4 : 0x1p40;
    const auto whole = [&] {
      return Vec3{std::floor(random.uniform(-range, range)), std::floor(random.uniform(-range, range)),
                  std::floor(random.uniform(-range, range))};
    };
    const Vec3 a = whole(), b = whole(), c = whole();
    Vec3 d = whole();
    if (k % 3 == 0) d = a + (b - a) + (c - a);  // exactly in the plane
    if (k % 3 == 1) d = a + (b - a) + (c - a) + Vec3{0, 0, 1};
    const Wide exact = whole_determinant(a, b, c, d);
    CHECK(orient3d(a, b, c, d) == (exact > 0) - (exact < 0));
  }
}

TEST(orient3d_is_antisymmetric_on_nearly_coplanar_points) {
  Random random(2);
  for (int k = 0; k < 20000; ++k) {
    const Vec3 a = random_vec(random), b = random_vec(random), c = random_vec(random);
    const double u = random.uniform(), v = random.uniform();
    const Vec3 d = a + (b - a) * u + (c - a) * v;
    const int side = orient3d(a, b, c, d);
    CHECK(orient3d(b, c, a, d) == side && orient3d(b, a, c, d) == -side);
    CHECK(orient3d(d, c, b, a) == side && orient3d(a, b, d, c) == -side);
  }
}

TEST(hulls_of_many_kinds_hold_their_promises) {
  Random random(3);
  for (int k = 0; k < 300; ++k) {
    std::vector<Vec3> points(4 + random.below(200));
    for (Vec3& p : points) {
      p = random_vec(random);
      if (k % 5 == 0) p = {std::floor(p.x * 3), std::floor(p.y * 3), std::floor(p.z * 3)};
      if (k % 5 == 1) p = normalized(p);
      if (k % 5 == 2) p.z *= 1e-15;
      if (k % 5 == 3) p.z = p.x + p.y;
    }
    const auto hull = convex_hull(points);
    CHECK(hull.ok());
    CHECK(verify_hull(points, hull.value(), true).empty());
  }
}

TEST(the_volume_of_a_hull_is_that_of_its_triangles) {
  Random random(6);
  for (int k = 0; k < 300; ++k) {
    std::vector<Vec3> points(1 + random.below(100));
    for (Vec3& p : points) {
      p = random_vec(random);
      if (k % 4 == 0) p = {std::floor(p.x * 3), std::floor(p.y * 3), std::floor(p.z * 3)};
      if (k % 4 == 1) p = p * 1e-90;
      if (k % 4 == 2) p.z = 0;
    }
    const TriangleMesh mesh = convex_hull(points).value().mesh;
    double six = 0;
    for (const auto& [a, b, c] : mesh.triangles)
      six += dot(mesh.vertices[a], cross(mesh.vertices[b], mesh.vertices[c]));
    CHECK_NEAR(convex_hull_volume(points), six / 6, k % 4 == 1 ? 1e-282 : 1e-12);
    if (k % 4 == 2) CHECK(convex_hull_volume(points) == 0);
  }
  CHECK(convex_hull_volume({}) == 0);
}

TEST(orient3d_of_a_corner_is_zero) {
  Random random(7);
  for (int k = 0; k < 1000; ++k) {
    const Vec3 a = random_vec(random), b = random_vec(random), c = random_vec(random);
    for (const Vec3& d : {a, b, c}) CHECK(orient3d(a, b, c, d) == 0);
  }
}

TEST(verify_hull_sees_what_is_wrong) {
  std::vector<Vec3> points;
  for (int k = 0; k < 8; ++k) points.push_back({double(k & 1), double(k >> 1 & 1), double(k >> 2 & 1)});
  const ConvexHull good = convex_hull(points).value();
  CHECK(verify_hull(points, good, true).empty());
  ConvexHull bad = good;
  std::swap(bad.mesh.triangles[0][0], bad.mesh.triangles[0][1]);
  CHECK(!verify_hull(points, bad, false).empty());
  bad = good;
  bad.mesh.triangles.pop_back();
  CHECK(!verify_hull(points, bad, false).empty());
  bad = good;
  bad.mesh.vertices[0].x = 0.5;
  CHECK(!verify_hull(points, bad, false).empty());
  points.push_back({2, 0, 0});
  CHECK(!verify_hull(points, good, true).empty());
}

TEST(a_flat_hull_goes_around_its_polygon) {
  std::vector<Vec3> points;
  for (int k = 0; k < 7; ++k)
    for (int m = 0; m < 7; ++m) points.push_back({double(k), double(m), 1.0 * k - 2 * m});
  const ConvexHull hull = convex_hull(points).value();
  CHECK(hull.dimension == 2 && hull.indices.size() == 4 && hull.mesh.triangles.size() == 4);
  CHECK(verify_hull(points, hull, true).empty());
  CHECK(convex_hull(std::vector<Vec3>(9, Vec3{1, 2, 3})).value().dimension == 0);
}

TEST(min_ball_of_cospherical_points_is_their_sphere) {
  Random random(4);
  std::vector<Vec3> points;
  for (int k = 0; k < 5000; ++k) points.push_back(normalized(random_vec(random)) * 3 + Vec3{5, 6, 7});
  points.insert(points.end(), points.begin(), points.begin() + 100);
  const Ball ball = min_ball(points);
  CHECK(norm(ball.center - Vec3{5, 6, 7}) < 1e-12);
  CHECK_NEAR(ball.radius, 3, 1e-12);
}

TEST(closest_point_on_triangle_is_no_further_than_any_sample) {
  Random random(5);
  for (int k = 0; k < 3000; ++k) {
    const Vec3 a = random_vec(random), p = random_vec(random) * 2;
    Vec3 b = random_vec(random), c = random_vec(random);
    if (k % 4 == 1) c = a + (b - a) * random.uniform(-1, 2) + random_vec(random) * 1e-14;
    if (k % 4 == 2) b = a;
    if (k % 8 == 2) c = a;
    const double found = norm(p - closest_point_on_triangle(p, a, b, c));
    for (int s = 0; s < 200; ++s) {
      double u = random.uniform(), v = random.uniform();
      if (u + v > 1) u = 1 - u, v = 1 - v;
      CHECK(found <= norm(p - (a + (b - a) * u + (c - a) * v)) + 1e-9);
    }
  }
}
