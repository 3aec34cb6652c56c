// Public masses against closed forms.
#include "tests/api/inputs.hpp"

using namespace hitbox;
using namespace hitbox::tests;

TEST(the_mass_of_a_box_is_that_of_the_textbook_as_a_mesh_and_as_a_shape) {
  Run run(2);
  const Bounds box{{1, 1, 1}, {2, 3, 4}};  // sides 1, 2, 3
  const std::vector<Shape> shapes = {Box{{1.5, 2, 2.5}, {}, {0.5, 1, 1.5}}};
  for (const auto& found : {mass_properties(box_mesh(box), 2, run), mass_properties(shapes, 2, run)}) {
    CHECK(found.ok());
    CHECK_NEAR(found->volume, 6, 1e-12);
    CHECK_NEAR(found->mass, 12, 1e-12);
    CHECK(norm(found->center - Vec3{1.5, 2, 2.5}) < 1e-12);
    const std::array<double, 6> expected = {4 + 9, 1 + 9, 1 + 4, 0, 0, 0};  // m / 12 (b^2 + c^2), with m = 12
    for (size_t k = 0; k < 6; ++k) CHECK_NEAR(found->inertia[k], expected[k], 1e-11);
  }
}

TEST(overlaps_count_once_and_cavities_count_not_at_all) {
  Run run(2);
  const std::vector<Shape> twice = {Sphere{{0, 0, 0}, 1}, Sphere{{0, 0, 0}, 1}};
  CHECK_NEAR(mass_properties(twice, 1, run).value().mass, 4 * kPi / 3, 1e-9);
  const Mesh hollow = hollow_box({{0, 0, 0}, {2, 2, 2}}, {{0.5, 0.5, 0.5}, {1.5, 1.5, 1.5}});
  CHECK_NEAR(mass_properties(hollow, 1, run).value().mass, 7, 1e-12);
}

TEST(public_masses_refuse_what_has_none) {
  Run run(1);
  const auto error_of = [&](const Mesh& mesh, double density = 1) { return said(mass_properties(mesh, density, run)); };
  const auto error_of_shape = [&](const Shape& shape) { return said(mass_properties({&shape, 1}, 1, run)); };
  CHECK(refuses_wrong_meshes([&](const MeshView& wrong) { return mass_properties(wrong, 1, run); }));
  CHECK(error_of(tray(1, 1)) == "mass_properties: the mesh is not closed. Give its shapes instead.");
  Mesh overlapping = box_mesh({{0, 0, 0}, {2, 2, 2}});
  add_box(overlapping, {{1, 1, 1}, {3, 3, 3}});
  CHECK(error_of(overlapping) == "mass_properties: parts of the mesh may overlap. Give its shapes instead.");
  CHECK(error_of(box_mesh({{0, 0, 0}, {1, 1, 1}}), 0) ==
        "mass_properties: density: must be a finite number above 0, not 0.");
  CHECK(error_of(box_mesh({{0, 0, 0}, {1, 1, 1}}), kNan) != "");
  CHECK(said(mass_properties(std::span<const Shape>{}, 1, run)) != "");
  CHECK(error_of_shape(Sphere{{0, 0, 0}, 0}) != "");
  CHECK(error_of_shape(Sphere{{0, 0, 0}, -1}).starts_with("mass_properties: shapes: number 0 is no sphere: "));
  CHECK(error_of_shape(Box{{0, 0, 0}, {0, 0, 0, 0}, {1, 1, 1}}) != "");
  CHECK(error_of_shape(Capsule{{0, 0, kNan}, {1, 0, 0}, 1}) != "");
  CHECK(error_of_shape(Cylinder{{0, 0, 0}, {1, 0, 0}, kNan}) != "");
  CHECK(error_of_shape(Frustum{{0, 0, 0}, {1, 0, 0}, 1, -1}) != "");
  CHECK(error_of_shape(Prism{{0, 0, 0}, {}, 1, 1, 1, -1}) != "");
  CHECK(error_of_shape(Hull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 3}}}) != "");
}
