// fit_spheres as a motion planner calls it.
#include "tests/api/inputs.hpp"

using namespace hitbox;
using namespace hitbox::tests;

namespace {

double outside(const SpheresResult& found, const Vec3& p) {
  double best = Bounds::kInfinity;
  for (const Sphere& sphere : found.spheres) best = std::min(best, norm(p - sphere.center) - sphere.radius);
  return best;
}

}  // namespace

TEST(public_spheres_hold_every_point_of_every_face) {
  const Mesh mesh = torus(20, 1, 0.3);
  Run run(2);
  const auto found = fit_spheres(mesh, {.count = 16}, run);
  CHECK(found.ok() && found->spheres.size() <= 16 && found->count == 16);
  CHECK(found->face_offsets.size() == found->spheres.size() + 1);
  CHECK(found->measure.coverage == 1 && found->measure.volume_ratio > 1);
  for (size_t f = 0; f < mesh.view().face_count(); ++f) {
    const auto corners = mesh.view().face(f);
    for (int i = 0; i <= 10; ++i)
      for (int j = 0; j <= 10 - i; ++j) {
        const double u = i / 10.0, v = j / 10.0;
        const Vec3 p =
            mesh.vertices[corners[0]] * (1 - u - v) + mesh.vertices[corners[1]] * u + mesh.vertices[corners[2]] * v;
        CHECK(outside(*found, p) <= 1e-9);
      }
  }
}

TEST(public_spheres_without_a_count_are_the_fewest_that_are_close_enough) {
  const Mesh mesh = torus(16, 1, 0.3);
  Run run(2);
  const auto chosen = fit_spheres(mesh, {}, run);
  CHECK(chosen->measure.mean <= 0.015 || chosen->count == 64);
  uint32_t before = 1;  // the next smaller count of the list
  for (const uint32_t count : {1u, 2u, 3u, 4u, 6u, 8u, 12u, 16u, 24u, 32u, 48u, 64u})
    if (count < chosen->count) before = count;
  CHECK(fit_spheres(mesh, {.count = before}, run).value().measure.mean > 0.015);
}

TEST(public_spheres_of_one_ball_are_one_sphere) {
  Run run(1);
  Mesh mesh;
  const TriangleMesh ball = to_mesh(Shape(Sphere{{1, 2, 3}, 2}), 24);
  mesh.vertices = ball.vertices;
  for (const auto& [a, b, c] : ball.triangles) add_face(mesh, {a, b, c});
  const auto found = fit_spheres(mesh, {}, run);
  CHECK(found->spheres.size() == 1 && found->count == 1);
  CHECK(norm(found->spheres[0].center - Vec3{1, 2, 3}) < 0.05);
  const auto padded = fit_spheres(mesh, {.count = 1, .pad = 0.5}, run);
  CHECK_NEAR(padded->spheres[0].radius, found->spheres[0].radius + 0.5, 1e-9);
}

TEST(public_spheres_keep_groups_apart_and_space_clear) {
  const Mesh mesh = window();
  std::vector<uint32_t> groups(mesh.view().face_count(), 9);
  groups[0] = 3;
  Run run(2);
  const auto apart = fit_spheres(mesh, {.count = 6, .group_of_face = groups}, run);
  CHECK(apart->spheres.size() >= 2);
  for (size_t k = 0; k < apart->spheres.size(); ++k)
    for (uint32_t at = apart->face_offsets[k]; at < apart->face_offsets[k + 1]; ++at)
      CHECK(groups[apart->faces[at]] == groups[apart->faces[apart->face_offsets[k]]]);
  const auto clear = fit_spheres(mesh, {.count = 4, .keep_clear = {{{0.5, 0.5, 0.05}, 0.15}}}, run);
  CHECK(outside(*clear, {0.5, 0.5, 0.05}) >= 0.15 - 1e-9);
}

TEST(public_spheres_refuse_wrong_meshes_and_options) {
  Run run(1);
  const Mesh mesh = box_mesh({{0, 0, 0}, {1, 1, 1}});
  const auto error_of = [&](const SpheresOptions& options) { return said(fit_spheres(mesh, options, run)); };
  CHECK(refuses_wrong_meshes([&](const MeshView& wrong) { return fit_spheres(wrong, {}, run); }));
  CHECK(error_of({.count = 0}) == "fit_spheres: count: must be from 1 to 1024, not 0.");
  CHECK(error_of({.count = 2000}) != "");
  CHECK(error_of({.group_of_face = {1}}) != "");
  CHECK(error_of({.count = 1, .group_of_face = {1, 1, 1, 2, 2, 2}}) != "");
  CHECK(error_of({.keep_clear = {{{kNan, 0, 0}, 1}}}) != "");
  CHECK(error_of({.pad = -2}) != "");
  CHECK(error_of({.pad = kNan}) != "");
}
