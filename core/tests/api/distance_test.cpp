// Public distances against closed forms.
#include "tests/api/inputs.hpp"

using namespace hitbox;
using namespace hitbox::tests;

TEST(public_distances_from_a_box_are_those_of_the_formula) {
  const Mesh mesh = box_mesh({{-1, -1, -1}, {1, 1, 1}});
  const Shape box = Box{{0, 0, 0}, {}, {1, 1, 1}};
  const std::vector<Vec3> queries = points_in_a_cube(500, 2);
  Run run(2);
  const auto closest = closest_points(mesh, queries, run);
  const auto inside = points_inside(mesh, queries, run);
  for (size_t k = 0; k < queries.size(); ++k) {
    const double expected = distance(box, queries[k]);
    CHECK_NEAR(closest->distances[k], std::abs(expected), 1e-12);
    CHECK_NEAR(norm(closest->points[k] - queries[k]), std::abs(expected), 1e-12);
    CHECK((*inside)[k] == (expected < 0));
    // The closest point is in the plane of its face.
    const auto face = mesh.view().face(closest->faces[k]);
    const Vec3 &a = mesh.vertices[face[0]], &b = mesh.vertices[face[1]], &c = mesh.vertices[face[2]];
    CHECK_NEAR(dot(cross(b - a, c - a), closest->points[k] - a), 0, 1e-12);
  }
}

TEST(public_distances_refuse_wrong_meshes_and_queries) {
  Run run(1);
  const std::vector<Vec3> good = {{0, 0, 0}}, bad = {{0, 0, 0}, {kNan, 0, 0}};
  const Mesh mesh = box_mesh({{0, 0, 0}, {1, 1, 1}});
  CHECK(refuses_wrong_meshes([&](const MeshView& wrong) { return closest_points(wrong, good, run); }));
  CHECK(refuses_wrong_meshes([&](const MeshView& wrong) { return points_inside(wrong, good, run); }));
  CHECK(said(closest_points(mesh, bad, run)).starts_with("closest_points: queries: point 1 is (nan, 0, 0)"));
  CHECK(said(points_inside(mesh, bad, run)) != "");
  CHECK(said(points_inside(tray(1, 1), good, run)).starts_with("points_inside: the mesh is not a closed solid"));
  CHECK(closest_points(mesh, {}, run).value().distances.empty());
}
