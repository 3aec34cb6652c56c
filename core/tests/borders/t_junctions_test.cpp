#include "borders/t_junctions.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/random.hpp"
#include "geometry/triangle.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::borders;
using hitbox::internal::base::Random;

namespace {

using Found = std::set<std::pair<uint32_t, uint32_t>>;  // side, vertex

Mesh loose_triangles(Random& random, size_t count, double step) {
  Mesh mesh;
  const auto number = [&] { return step * static_cast<double>(random.below(8)); };
  for (size_t k = 0; k < 3 * count; ++k) {
    mesh.indices.push_back(static_cast<uint32_t>(k));
    mesh.vertices.push_back({number(), number(), number()});
    if (k % 3 == 2) mesh.offsets.push_back(static_cast<uint32_t>(k + 1));
  }
  return mesh;
}

// Applies the definition to each border vertex and each side; `slack` makes it wider or narrower.
Found within(const Mesh& mesh, const std::vector<BorderSide>& sides, double tolerance, double slack) {
  Found found;
  for (uint32_t s = 0; s < sides.size(); ++s)
    for (const BorderSide& other : sides) {
      const uint32_t v = other.from;
      if (v == sides[s].from || v == sides[s].to) continue;
      const Vec3 &a = mesh.vertices[sides[s].from], &b = mesh.vertices[sides[s].to], &p = mesh.vertices[v];
      const Vec3 nearest = internal::geometry::closest_point_on_segment(p, a, b);
      if (norm(nearest - p) <= tolerance + slack && norm(nearest - a) > tolerance - slack &&
          norm(nearest - b) > tolerance - slack)
        found.insert({s, v});
    }
  return found;
}

}  // namespace

TEST(t_junctions_are_those_of_all_vertices_and_all_sides) {
  Random random(51);
  size_t total = 0;
  for (int round = 0; round < 60; ++round) {
    const Mesh mesh = loose_triangles(random, 30, 0.25);
    Run run(1 + round % 3);
    const std::vector<BorderSide> sides = border_sides(mesh.view(), run);
    for (const double tolerance : {0.0, 1e-6, 0.11, 0.3}) {
      const std::vector<TJunction> junctions = t_junctions(mesh.vertices, sides, tolerance, run);
      Found found;
      for (const TJunction& j : junctions) {
        found.insert({j.side, j.vertex});
        CHECK(j.along > 0 && j.along < 1);
      }
      CHECK(found.size() == junctions.size());
      const Found most = within(mesh, sides, tolerance, 1e-12), least = within(mesh, sides, tolerance, -1e-12);
      CHECK(std::includes(most.begin(), most.end(), found.begin(), found.end()));
      if (tolerance > 0) CHECK(std::includes(found.begin(), found.end(), least.begin(), least.end()));
      CHECK(std::is_sorted(junctions.begin(), junctions.end(), [](const TJunction& a, const TJunction& b) {
        return std::tie(a.side, a.along, a.vertex) < std::tie(b.side, b.along, b.vertex);
      }));
      total += junctions.size();
    }
  }
  CHECK(total > 1000);
}

TEST(sides_cut_at_t_junctions_match_across_a_strip) {
  // A long square beside several short ones: vertices 0 .. n along the common line, shared by both.
  const uint32_t n = 7;
  Mesh mesh;
  for (uint32_t k = 0; k <= n; ++k) mesh.vertices.push_back({1.0 * k, 2.0 * k, -1.0 * k});
  for (uint32_t k = 0; k <= n; ++k) mesh.vertices.push_back({1.0 * k, 2.0 * k + 1, -1.0 * k});
  mesh.vertices.push_back({0, -1, 0});
  mesh.vertices.push_back({1.0 * n, 2.0 * n - 1, -1.0 * n});
  const auto add = [&](std::initializer_list<uint32_t> face) {
    mesh.indices.insert(mesh.indices.end(), face);
    mesh.offsets.push_back(static_cast<uint32_t>(mesh.indices.size()));
  };
  add({2 * n + 2, 2 * n + 3, n, 0});
  for (uint32_t k = 0; k < n; ++k) add({k, k + 1, n + 2 + k, n + 1 + k});
  Run run(2);
  const std::vector<BorderSide> sides = border_sides(mesh.view(), run);
  const std::vector<TJunction> junctions = t_junctions(mesh.vertices, sides, 1e-9, run);
  CHECK(junctions.size() == n - 1);
  const std::vector<BorderSide> pieces = cut_sides(sides, junctions);
  CHECK(pieces.size() == sides.size() + n - 1);
  const MatchedSides matched = matched_sides(pieces);
  CHECK(matched.pairs.size() == n);
  CHECK(matched.single.size() + 2 * n == pieces.size());
  for (const auto& [up, down] : matched.pairs) {
    CHECK(pieces[up].from == pieces[down].to && pieces[up].to == pieces[down].from && pieces[up].from < pieces[up].to);
    CHECK((pieces[up].face == 0) != (pieces[down].face == 0));
  }
}

TEST(sides_are_matched_as_often_as_both_directions_are_there) {
  Random random(52);
  for (int round = 0; round < 200; ++round) {
    std::vector<BorderSide> sides;
    for (uint32_t f = 0; f < 20; ++f) {
      const auto from = static_cast<uint32_t>(random.below(4));
      sides.push_back({from, (from + 1 + static_cast<uint32_t>(random.below(3))) % 4, f});
    }
    const MatchedSides matched = matched_sides(sides);
    std::vector<bool> seen(sides.size());
    for (const auto& [up, down] : matched.pairs) {
      CHECK(!seen[up] && !seen[down] && sides[up].from == sides[down].to && sides[up].to == sides[down].from);
      seen[up] = seen[down] = true;
    }
    for (const uint32_t one : matched.single) {
      CHECK(!seen[one]);
      seen[one] = true;
      for (const uint32_t other : matched.single)
        CHECK(sides[one].from != sides[other].to || sides[one].to != sides[other].from);
    }
    CHECK(std::all_of(seen.begin(), seen.end(), [](bool is_seen) { return is_seen; }));
  }
}
