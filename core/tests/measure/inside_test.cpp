#include "measure/inside.hpp"

#include "base/random.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::measure;

namespace {

// A cube of edge 2 * half around the origin, on a grid so coarse that rays hit edges and corners.
void add_cube(TriangleMesh& mesh, double half, bool inward) {
  const auto first = static_cast<uint32_t>(mesh.vertices.size());
  for (int k = 0; k < 8; ++k)
    mesh.vertices.push_back({k & 1 ? half : -half, k & 2 ? half : -half, k & 4 ? half : -half});
  for (Triangle t : {Triangle{0, 2, 1},
                     {1, 2, 3},
                     {4, 5, 6},
                     {5, 7, 6},
                     {0, 1, 4},
                     {1, 5, 4},
                     {2, 6, 3},
                     {3, 6, 7},
                     {0, 4, 2},
                     {2, 4, 6},
                     {1, 3, 5},
                     {3, 7, 5}}) {
    if (inward) std::swap(t[0], t[1]);
    mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
}

bool closed_solid(const TriangleMesh& mesh) {
  std::vector<uint32_t> indices, offsets{0};
  for (const Triangle& t : mesh.triangles) {
    indices.insert(indices.end(), t.begin(), t.end());
    offsets.push_back(static_cast<uint32_t>(indices.size()));
  }
  Run run(1);
  return is_closed_solid({mesh.vertices, indices, offsets}, run);
}

}  // namespace

TEST(inside_is_right_on_every_grid_point_of_a_hollow_cube) {
  for (const bool inward : {true, false}) {  // even-odd: the inner shell is a hole either way
    TriangleMesh mesh;
    add_cube(mesh, 4, false);
    add_cube(mesh, 2, inward);
    Run run(1);
    const TriangleBvh surface(mesh.vertices, mesh.triangles, run);
    const Solid solid(surface);
    for (int x = -10; x <= 10; ++x)
      for (int y = -10; y <= 10; ++y)
        for (int z = -10; z <= 10; ++z) {
          const Vec3 p{x * 0.5, y * 0.5, z * 0.5};
          const double reach = max_component(abs(p));
          CHECK(solid.contains(p) == (reach < 4 && reach > 2));
        }
  }
}

TEST(inside_of_a_turned_tetrahedron_is_the_side_of_its_planes) {
  Random random(7);
  const auto point = [&] { return Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}; };
  Run run(1);
  for (int trial = 0; trial < 40; ++trial) {
    const std::vector<Vec3> v{point(), point(), point(), point()};
    const std::vector<Triangle> faces{{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    const TriangleBvh surface(v, faces, run);
    const Solid solid(surface);
    const auto side = [&](const Vec3& p, const Triangle& t) {
      return dot(cross(v[t[1]] - v[t[0]], v[t[2]] - v[t[0]]), p - v[t[0]]) > 0;
    };
    const Vec3 middle = (v[0] + v[1] + v[2] + v[3]) / 4;
    for (int k = 0; k < 100; ++k) {
      const Vec3 p = point();
      bool want = true;
      for (const Triangle& t : faces) want = want && side(p, t) == side(middle, t);
      CHECK(solid.contains(p) == want);
    }
    CHECK(!solid.contains(v[0]));
  }
}

TEST(only_closed_outward_surfaces_are_solids) {
  TriangleMesh cube;
  add_cube(cube, 1, false);
  CHECK(closed_solid(cube));
  TriangleMesh soup;  // the same with separate vertices per triangle
  for (const Triangle& t : cube.triangles) {
    const auto first = static_cast<uint32_t>(soup.vertices.size());
    for (const uint32_t v : t) soup.vertices.push_back(cube.vertices[v]);
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  CHECK(closed_solid(soup));
  TriangleMesh inward;
  add_cube(inward, 1, true);
  CHECK(!closed_solid(inward));
  TriangleMesh hollow = cube;
  add_cube(hollow, 0.5, true);
  CHECK(closed_solid(hollow));
  TriangleMesh open = cube;
  open.triangles.pop_back();
  CHECK(!closed_solid(open));
  TriangleMesh flipped = cube;
  std::swap(flipped.triangles[3][0], flipped.triangles[3][1]);
  CHECK(!closed_solid(flipped));
  TriangleMesh doubled = cube;
  doubled.triangles.push_back(cube.triangles[0]);
  CHECK(!closed_solid(doubled));
}
