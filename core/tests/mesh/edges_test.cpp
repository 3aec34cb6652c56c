#include "mesh/edges.hpp"

#include <algorithm>
#include <tuple>

#include "base/random.hpp"
#include "mesh/components.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::mesh;

namespace {

Mesh random_mesh(Random& random, uint32_t vertices, size_t faces) {
  Mesh mesh;
  mesh.vertices.resize(vertices);
  for (size_t f = 0; f < faces; ++f) {
    for (uint64_t k = 3 + random.below(4); k > 0; --k) {
      mesh.indices.push_back(static_cast<uint32_t>(random.below(vertices)));
    }
    mesh.offsets.push_back(static_cast<uint32_t>(mesh.indices.size()));
  }
  return mesh;
}

}  // namespace

TEST(half_edges_are_all_there_and_sorted) {
  Random random(1);
  for (const uint32_t vertices : {2u, 10u, 2048u, 5000000u}) {
    const Mesh mesh = random_mesh(random, vertices, 500);
    std::vector<std::tuple<uint32_t, uint32_t, uint32_t>> expected, found;
    for (size_t f = 0; f < mesh.view().face_count(); ++f) {
      const auto corners = mesh.view().face(f);
      for (size_t k = 0; k < corners.size(); ++k) {
        const uint32_t a = corners[k], b = corners[(k + 1) % corners.size()];
        if (a != b) expected.push_back({std::min(a, b), std::max(a, b), static_cast<uint32_t>(f)});
      }
    }
    std::sort(expected.begin(), expected.end());
    Run run(1);
    for (const HalfEdge& edge : sorted_half_edges(mesh.view(), run))
      found.push_back({edge.low, edge.high, edge.face()});
    CHECK(found == expected);
  }
}

TEST(half_edges_know_their_direction) {
  Mesh mesh;
  mesh.vertices.resize(4);
  mesh.indices = {0, 1, 2, 2, 1, 3};
  mesh.offsets = {0, 3, 6};
  size_t shared = 0;
  Run run(1);
  for_each_edge(sorted_half_edges(mesh.view(), run), [&](std::span<const HalfEdge> uses) {
    if (uses.size() != 2) return;
    ++shared;
    CHECK(uses[0].low == 1 && uses[0].high == 2);
    CHECK(uses[0].face() == 0 && uses[0].goes_up());
    CHECK(uses[1].face() == 1 && !uses[1].goes_up());
  });
  CHECK(shared == 1);
}

TEST(components_match_a_flood_fill) {
  Random random(5);
  for (int round = 0; round < 20; ++round) {
    const Mesh mesh = random_mesh(random, 400, 60);
    const MeshView view = mesh.view();
    std::vector<int> label(view.face_count(), -1);
    int count = 0;
    const auto touch = [&](size_t a, size_t b) {
      const auto x = view.face(a), y = view.face(b);
      return std::find_first_of(x.begin(), x.end(), y.begin(), y.end()) != x.end();
    };
    for (size_t start = 0; start < label.size(); ++start) {
      if (label[start] >= 0) continue;
      std::vector<size_t> open{start};
      label[start] = count;
      while (!open.empty()) {
        const size_t f = open.back();
        open.pop_back();
        for (size_t g = 0; g < label.size(); ++g) {
          if (label[g] < 0 && touch(f, g)) {
            label[g] = count;
            open.push_back(g);
          }
        }
      }
      ++count;
    }
    const Components found = components_of(view);
    CHECK(found.count == static_cast<size_t>(count));
    for (size_t f = 0; f < label.size(); ++f) CHECK(found.of_face[f] == static_cast<uint32_t>(label[f]));
  }
}
