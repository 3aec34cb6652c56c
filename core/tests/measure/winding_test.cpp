// Compares winding numbers with the closed form of a torus.
#include "measure/winding.hpp"

#include "base/random.hpp"
#include "hitbox/shapes/interface.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::measure;

namespace {

Mesh torus(uint32_t side, double tube) {
  Mesh mesh;
  for (uint32_t i = 0; i < side; ++i)
    for (uint32_t j = 0; j < side; ++j) {
      const double u = 2 * kPi * i / side, v = 2 * kPi * j / side, r = 1 + tube * std::cos(v);
      mesh.vertices.push_back({r * std::cos(u), r * std::sin(u), tube * std::sin(v)});
      const uint32_t right = (i + 1) % side, up = (j + 1) % side;
      for (const uint32_t corner : {i * side + j, right * side + j, right * side + up, i * side + up})
        mesh.indices.push_back(corner);
      mesh.offsets.push_back(static_cast<uint32_t>(mesh.indices.size()));
    }
  return mesh;
}

}  // namespace

TEST(a_mesh_winds_once_around_what_is_inside) {
  const Mesh mesh = torus(60, 0.3);
  Run run(1);
  const TriangleBvh surface(mesh.view(), run);
  const Winding winding(surface);
  Random random(3);
  for (int k = 0; k < 2000; ++k) {
    const Vec3 p{random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5), random.uniform(-0.5, 0.5)};
    const double ring = std::sqrt(p.x * p.x + p.y * p.y) - 1;
    const double off = std::sqrt(ring * ring + p.z * p.z) - 0.3;
    if (std::abs(off) < 0.01) continue;  // within the facets' depth
    CHECK_NEAR(winding.at(p), off < 0 ? 1.0 : 0.0, 0.1);
    CHECK(winding.contains(p) == (off < 0));
  }
}

TEST(holes_and_turned_faces_leave_an_inside) {
  Mesh mesh = torus(60, 0.3);
  for (size_t f = 0; f < mesh.view().face_count(); ++f)
    std::reverse(mesh.indices.begin() + mesh.offsets[f], mesh.indices.begin() + mesh.offsets[f + 1]);
  mesh.offsets.resize(mesh.offsets.size() - 20);  // a third of one row around the tube
  mesh.indices.resize(mesh.offsets.back());
  Run run(1);
  const TriangleBvh surface(mesh.view(), run);
  const Winding winding(surface);
  for (int k = 0; k < 100; ++k) {
    const double angle = 2 * kPi * k / 100;
    CHECK(winding.contains({std::cos(angle), std::sin(angle), 0}));
    CHECK(!winding.contains({0.5 * std::cos(angle), 0.5 * std::sin(angle), 0.1}));
  }
}
