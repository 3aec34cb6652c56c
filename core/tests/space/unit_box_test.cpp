#include "space/unit_box.hpp"

#include "tests/check.hpp"
#include "tests/meshes.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::space;
using namespace hitbox::tests;

TEST(unit_boxes_have_a_longest_side_of_one_and_lead_back) {
  Random random(1);
  for (int round = 0; round < 100; ++round) {
    Bounds box;
    const Vec3 center = random_point(random, 1e3);
    for (int k = 0; k < 2; ++k) box.add(center + random_point(random, 5));
    const UnitBox unit(box);
    const Vec3 low = unit.to_unit(box.low), high = unit.to_unit(box.high);
    CHECK(norm(low) <= 1e-12);
    CHECK_NEAR(max_component(high - low), 1, 1e-12);
    const Vec3 p = center + random_point(random, 20), q = center + random_point(random, 20);
    CHECK(norm(unit.from_unit(unit.to_unit(p)) - p) <= 1e-9);
    // One scale for all sides: distances keep their proportions.
    CHECK_NEAR(norm(unit.to_unit(p) - unit.to_unit(q)) * unit.side, norm(p - q), 1e-9);
  }
}

TEST(a_unit_mesh_keeps_its_faces) {
  const Mesh mesh = box_mesh({{2, 3, 4}, {4, 13, 5}});
  const UnitMesh unit(mesh.view(), UnitBox({{2, 3, 4}, {4, 13, 5}}));
  CHECK(unit.indices == mesh.indices && unit.offsets == mesh.offsets);
  CHECK(unit.vertices.size() == mesh.vertices.size());
  for (size_t v = 0; v < unit.vertices.size(); ++v)
    CHECK(norm(unit.vertices[v] * 10 + Vec3{2, 3, 4} - mesh.vertices[v]) <= 1e-12);
}
