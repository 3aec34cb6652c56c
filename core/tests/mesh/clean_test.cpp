#include "mesh/clean.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "base/random.hpp"
#include "mesh/info.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::mesh;

static Run& one_thread() {
  static Run run(1);
  return run;
}

namespace {

Mesh soup(Random& random, size_t faces, int grid) {
  Mesh mesh;
  const auto coordinate = [&] { return static_cast<double>(random.below(static_cast<uint64_t>(grid))) - 1; };
  for (size_t f = 0; f < faces; ++f) {
    for (int k = 0; k < 3; ++k) {
      mesh.indices.push_back(static_cast<uint32_t>(mesh.vertices.size()));
      mesh.vertices.push_back({coordinate(), coordinate() * -1, coordinate()});
    }
    mesh.offsets.push_back(static_cast<uint32_t>(mesh.indices.size()));
    if (random.below(4) == 0) mesh.vertices.push_back({coordinate(), 0, 99});  // unused
  }
  return mesh;
}

std::string complaint(const Mesh& mesh) {
  const auto checked = check_mesh(mesh.view(), "m");
  return checked ? "" : checked.error().message;
}

Mesh tetrahedron() {
  Mesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.indices = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  mesh.offsets = {0, 3, 6, 9, 12};
  return mesh;
}

}  // namespace

TEST(exact_weld_keeps_each_used_position_once_in_order) {
  Random random(2);
  for (const int grid : {2, 3, 8, 100}) {
    const Mesh mesh = soup(random, 200, grid);
    std::vector<Vec3> expected;  // brute force
    size_t unused = 0;
    for (size_t v = 0; v < mesh.vertices.size(); ++v) {
      const bool is_used = std::find(mesh.indices.begin(), mesh.indices.end(), v) != mesh.indices.end();
      unused += !is_used;
      const Vec3& p = mesh.vertices[v];
      if (is_used && std::find(expected.begin(), expected.end(), p) == expected.end()) expected.push_back(p);
    }
    const auto result = clean(mesh.view(), {}, "m", one_thread());
    const CleanedMesh& cleaned = result.value();
    CHECK(cleaned.vertices == expected);
    CHECK(cleaned.report.unreferenced == unused);
    CHECK(cleaned.report.welded == mesh.vertices.size() - unused - expected.size());
    for (size_t k = 0; k < mesh.indices.size(); ++k) {
      CHECK(cleaned.vertices[cleaned.indices[k]] == mesh.vertices[mesh.indices[k]]);
    }
  }
}

TEST(weld_off_only_drops_unused_vertices) {
  Random random(3);
  const Mesh mesh = soup(random, 100, 2);
  const auto result = clean(mesh.view(), {CleanOptions::Weld::off, 0}, "m", one_thread());
  CHECK(result.value().vertices.size() == 300);
  CHECK(result.value().report.welded == 0);
}

TEST(distance_weld_is_first_come_and_moves_nothing_further) {
  Random random(4);
  Mesh mesh = soup(random, 300, 100);
  for (Vec3& p : mesh.vertices) p = {random.uniform(), random.uniform(), random.uniform()};
  for (const double distance : {1e-9, 0.01, 0.1, 0.3}) {
    std::vector<Vec3> kept;  // brute force
    std::vector<size_t> expected;
    for (const uint32_t v : mesh.indices) {  // the soup uses its vertices in order
      size_t k = 0;
      while (k < kept.size() && norm(kept[k] - mesh.vertices[v]) > distance) ++k;
      if (k == kept.size()) kept.push_back(mesh.vertices[v]);
      expected.push_back(k);
    }
    const auto result = clean(mesh.view(), {CleanOptions::Weld::distance, distance}, "m", one_thread());
    CHECK(result.ok());
    CHECK(result.value().vertices == kept);
    for (size_t k = 0; k < expected.size(); ++k) CHECK(result.value().indices[k] == expected[k]);
  }
}

TEST(distance_weld_of_a_huge_cluster_is_fast) {
  Random random(9);
  Mesh mesh = soup(random, 100000, 2);
  for (Vec3& p : mesh.vertices) p = {random.uniform() * 1e-6, 0, 0};
  mesh.vertices[0] = {1, 1, 1};
  const auto result = clean(mesh.view(), {CleanOptions::Weld::distance, 1e-3}, "m", one_thread());
  CHECK(result.value().vertices.size() == 2);
}

TEST(bad_weld_distances_are_refused) {
  const Mesh mesh = tetrahedron();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double distance : {0.0, -1.0, 1e-20, infinity, std::nan(""), 10.0}) {
    CHECK(!clean(mesh.view(), {CleanOptions::Weld::distance, distance}, "m", one_thread()).ok());
  }
}

TEST(faces_without_area_repeated_and_duplicate_ones_are_counted_and_kept) {
  for (const double scale : {1e-30, 1.0, 1e30}) {
    Mesh mesh = tetrahedron();
    mesh.vertices.push_back({2, 0, 0});
    for (Vec3& p : mesh.vertices) p = p * scale;
    const auto add = [&](std::initializer_list<uint32_t> face) {
      mesh.indices.insert(mesh.indices.end(), face);
      mesh.offsets.push_back(static_cast<uint32_t>(mesh.indices.size()));
    };
    add({0, 1, 4});     // on one line
    add({0, 1, 1});     // repeated
    add({1, 0, 2});     // face 0 reversed
    add({2, 1, 0});     // another copy
    add({0, 1, 2, 3});  // a separate quad
    add({3, 1, 0, 2});  // its copy
    const auto result = clean(mesh.view(), {}, "m", one_thread());
    const CleanReport& report = result.value().report;
    CHECK(report.zero_area == 1 && report.repeated_index == 1 && report.duplicates == 3);
    CHECK(report.faces == 10 && result.value().indices.size() == mesh.indices.size());
  }
}

TEST(check_names_what_is_wrong_and_where) {
  CHECK(complaint(tetrahedron()).empty());
  Mesh mesh = tetrahedron();
  mesh.vertices[2].y = std::nan("");
  CHECK(complaint(mesh).find("vertex 2") != std::string::npos);
  mesh.vertices[2].y = 1e70;
  CHECK(complaint(mesh).find("vertex 2") != std::string::npos);
  mesh = tetrahedron();
  mesh.indices[7] = 4;
  CHECK(complaint(mesh).find("face 2 uses vertex 4") != std::string::npos);
  mesh = tetrahedron();
  mesh.offsets = {0, 3, 5, 9, 12};
  CHECK(complaint(mesh).find("face 1 has 2 corners") != std::string::npos);
  mesh.offsets = {0, 3, 9, 6, 12};
  CHECK(complaint(mesh).find("face 2 has -3 corners") != std::string::npos);
  mesh.offsets = {0, 3, 6, 9};
  CHECK(!complaint(mesh).empty());
  mesh.offsets = {0};
  CHECK(complaint(mesh).find("no faces") != std::string::npos);
  mesh = tetrahedron();
  for (Vec3& p : mesh.vertices) p = {5, 5, 5};
  CHECK(complaint(mesh).find("one point") != std::string::npos);
}

TEST(info_of_a_tetrahedron) {
  const Mesh mesh = tetrahedron();
  const MeshInfo info = info_of(mesh.view(), {}, {});
  CHECK(info.closed && info.edges == 6 && info.boundary_edges == 0 && info.components == 1);
  CHECK_NEAR(*info.volume, 1.0 / 6, 1e-15);
  CHECK_NEAR(info.area, 1.5 + std::sqrt(3.0) / 2, 1e-14);
  Mesh open = mesh;
  open.offsets.pop_back();
  open.indices.resize(9);
  const MeshInfo open_info = info_of(open.view(), {}, {});
  CHECK(!open_info.closed && open_info.boundary_edges == 3 && !open_info.volume);
}
