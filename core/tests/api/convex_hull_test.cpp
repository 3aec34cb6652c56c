// Public hulls against brute force.
#include "tests/api/inputs.hpp"

using namespace hitbox;
using namespace hitbox::tests;

namespace {

// How far a point is above the plane of any triangle; at most 0 if the hull holds all points.
double sticks_out(const Hull& hull, const std::vector<Vec3>& points) {
  double most = -Bounds::kInfinity;
  for (const auto& [a, b, c] : hull.triangles) {
    const Vec3 normal = normalized(cross(hull.vertices[b] - hull.vertices[a], hull.vertices[c] - hull.vertices[a]));
    for (const Vec3& p : points) most = std::max(most, dot(normal, p - hull.vertices[a]));
  }
  return most;
}

}  // namespace

TEST(a_public_hull_holds_all_points_and_has_only_points_of_the_input) {
  const std::vector<Vec3> points = points_in_a_cube(300, 2);
  const auto hull = convex_hull(points);
  CHECK(hull.ok() && sticks_out(*hull, points) <= 1e-12);
  for (const Vec3& v : hull->vertices) CHECK(std::ranges::find(points, v) != points.end());
  CHECK(hull->triangles.size() == 2 * hull->vertices.size() - 4);  // Euler: closed, of triangles
}

TEST(a_capped_hull_has_few_vertices_and_is_hardly_larger) {
  const std::vector<Vec3> points = points_in_a_cube(300, 2);
  const double least = volume(*convex_hull(points));
  for (const uint32_t most : {4u, 8u, 16u, 10'000u}) {
    const auto hull = capped_hull(points, most);
    CHECK(hull.ok() && hull->vertices.size() <= most && sticks_out(*hull, points) <= 1e-9);
    CHECK(volume(*hull) >= least * (1 - 1e-9));
    CHECK(most < 8 || volume(*hull) <= 64 * 1.0001);
  }
}

TEST(flat_points_have_a_flat_hull_or_one_of_a_given_thickness) {
  const std::vector<Vec3> square = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 0}};
  CHECK(convex_hull(square).value().vertices.size() == 4);
  CHECK(volume(*convex_hull(square)) == 0);
  CHECK_NEAR(volume(*capped_hull(square, 8, 0.25)), 0.5, 1e-9);
  CHECK(said(capped_hull(square, 8)) ==
        "capped_hull: the points lie in a plane, so their hull is flat. Give a thickness above 0.");
}

TEST(public_hulls_refuse_wrong_points) {
  const std::vector<Vec3> line = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, bad = {{0, 0, 0}, {0, kNan, 0}};
  CHECK(said(convex_hull({})) == "convex_hull: points: there are none. Give at least three.");
  CHECK(said(convex_hull(line)) != "");
  CHECK(said(convex_hull(bad)) ==
        "convex_hull: points: point 1 is (0, nan, 0), but coordinates must be finite and at most 1e+60 in size.");
  CHECK(said(capped_hull({}, 8)) != "");
  CHECK(said(capped_hull(bad, 8)) != "");
  CHECK(said(capped_hull(line, 3)) == "capped_hull: max_vertices: must be from 4 to 4294967295, not 3.");
  CHECK(said(capped_hull(line, 8, -1)) != "");
}
