#include "borders/border_loops.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "tests/borders/plane_grid.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::borders;
using hitbox::internal::base::Random;

namespace {

using Edge = std::pair<uint32_t, uint32_t>;

Mesh random_mesh(Random& random, uint32_t vertices, size_t faces) {
  Mesh mesh;
  mesh.vertices.resize(vertices);
  for (size_t f = 0; f < faces; ++f) {
    std::vector<uint32_t> face;
    while (face.size() < 3 + f % 3) {
      const auto v = static_cast<uint32_t>(random.below(vertices));
      if (std::find(face.begin(), face.end(), v) == face.end()) face.push_back(v);
    }
    mesh.indices.insert(mesh.indices.end(), face.begin(), face.end());
    mesh.offsets.push_back(static_cast<uint32_t>(mesh.indices.size()));
  }
  return mesh;
}

// Counts how often faces traverse each edge from its smaller vertex, minus how often in reverse.
std::map<Edge, int> balance_of(const Mesh& mesh) {
  std::map<Edge, int> balance;
  for (size_t f = 0; f < mesh.view().face_count(); ++f) {
    const auto face = mesh.view().face(f);
    for (size_t k = 0; k < face.size(); ++k) {
      const uint32_t a = face[k], b = face[(k + 1) % face.size()];
      balance[{std::min(a, b), std::max(a, b)}] += a < b ? 1 : -1;
    }
  }
  std::erase_if(balance, [](const auto& each) { return each.second == 0; });
  return balance;
}

bool runs_along(const Mesh& mesh, uint32_t f, uint32_t from, uint32_t to) {
  const auto face = mesh.view().face(f);
  for (size_t k = 0; k < face.size(); ++k)
    if (face[k] == from && face[(k + 1) % face.size()] == to) return true;
  return false;
}

void check_loops(const Mesh& mesh) {
  Run run(1);
  const std::vector<BorderSide> sides = border_sides(mesh.view(), run);
  CHECK(std::is_sorted(sides.begin(), sides.end()));
  std::map<Edge, int> balance;
  for (const BorderSide& side : sides) {
    CHECK(runs_along(mesh, side.face, side.from, side.to));
    balance[{std::min(side.from, side.to), std::max(side.from, side.to)}] += side.from < side.to ? 1 : -1;
  }
  CHECK(balance == balance_of(mesh));

  const std::vector<BorderLoop> loops = border_loops(sides);
  CHECK(std::is_sorted(loops.begin(), loops.end()));
  std::vector<BorderSide> walked;
  for (const BorderLoop& loop : loops) {
    const std::set<uint32_t> vertices(loop.vertices.begin(), loop.vertices.end());
    CHECK(loop.vertices.size() >= 3 && vertices.size() == loop.vertices.size() && loop.faces.size() == vertices.size());
    CHECK(loop.vertices[0] == *vertices.begin());
    for (size_t k = 0; k < loop.vertices.size(); ++k)
      walked.push_back({loop.vertices[(k + 1) % loop.vertices.size()], loop.vertices[k], loop.faces[k]});
  }
  std::sort(walked.begin(), walked.end());
  CHECK(walked == sides);
}

}  // namespace

TEST(border_loops_of_any_faces_are_simple_and_use_each_border_side_once) {
  Random random(41);
  for (int round = 0; round < 300; ++round) check_loops(random_mesh(random, 5 + round % 9, 1 + random.below(14)));
  for (int round = 0; round < 100; ++round)
    check_loops(tests::plane_grid(5, 5, [&](int, int) { return random.below(3) > 0; }));
}

TEST(a_hole_and_the_outside_of_a_grid_are_two_loops_that_run_against_the_faces) {
  const Mesh mesh = tests::plane_grid(3, 3, [](int x, int y) { return x != 1 || y != 1; });
  Run run(1);
  const std::vector<BorderLoop> loops = border_loops(border_sides(mesh.view(), run));
  CHECK(loops.size() == 2);
  CHECK((loops[0].vertices == std::vector<uint32_t>{0, 4, 8, 12, 13, 14, 15, 11, 7, 3, 2, 1}));  // clockwise
  CHECK((loops[1].vertices == std::vector<uint32_t>{5, 6, 10, 9}));  // in the direction of a square that fills the hole
}

TEST(holes_that_touch_in_a_vertex_are_loops_of_their_own) {
  const Mesh mesh = tests::plane_grid(4, 4, [](int x, int y) { return !(x == y && (x == 1 || x == 2)); });
  Run run(1);
  const std::vector<BorderLoop> loops = border_loops(border_sides(mesh.view(), run));
  CHECK(loops.size() == 3);
  CHECK((loops[1].vertices == std::vector<uint32_t>{6, 7, 12, 11}));
  CHECK((loops[2].vertices == std::vector<uint32_t>{12, 13, 18, 17}));
}

TEST(a_closed_mesh_has_no_border) {
  Mesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.indices = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  mesh.offsets = {0, 3, 6, 9, 12};
  Run run(1);
  CHECK(border_sides(mesh.view(), run).empty());
  CHECK(border_loops({}).empty());
}
