// Two trees: every pair is found once, in the same order for any number of threads, and a visitor can end the
// traversal.
#include "bvh/pairs.hpp"

#include <algorithm>
#include <set>

#include "base/random.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::bvh;
using hitbox::internal::geometry::relation;
using hitbox::internal::geometry::TrianglePair;

namespace {

struct Soup {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;

  std::array<Vec3, 3> corners(size_t k) const {
    return {vertices[triangles[k][0]], vertices[triangles[k][1]], vertices[triangles[k][2]]};
  }
};

Vec3 random_at(Random& random, double reach) {
  const double x = random.uniform(-reach, reach), y = random.uniform(-reach, reach);
  return {x, y, random.uniform(-reach, reach)};
}

Soup random_soup(Random& random, uint32_t count, double reach, double size) {
  Soup soup;
  for (uint32_t k = 0; k < count; ++k) {
    const Vec3 center = random_at(random, reach);
    for (int c = 0; c < 3; ++c) soup.vertices.push_back(center + random_at(random, size));
    soup.triangles.push_back({3 * k, 3 * k + 1, 3 * k + 2});
  }
  return soup;
}

// A height field: neighbours share edges, and nothing crosses.
Soup sheet(uint32_t side, double height) {
  Soup soup;
  for (uint32_t y = 0; y < side; ++y)
    for (uint32_t x = 0; x < side; ++x)
      soup.vertices.push_back({double(x), double(y), height + 0.3 * std::sin(1.3 * x) * std::cos(0.7 * y)});
  for (uint32_t y = 0; y + 1 < side; ++y)
    for (uint32_t x = 0; x + 1 < side; ++x) {
      const uint32_t a = y * side + x;
      soup.triangles.push_back({a, a + 1, a + side});
      soup.triangles.push_back({a + 1, a + side + 1, a + side});
    }
  return soup;
}

using Found = std::vector<std::tuple<uint32_t, uint32_t, TrianglePair>>;

Found all_pairs(const TriangleBvh& a, const TriangleBvh& b) {
  Found found;
  CHECK(each_meeting_pair(a, b, [&](uint32_t i, uint32_t j, TrianglePair pair) {
    found.emplace_back(i, j, pair);
    return true;
  }));
  return found;
}

}  // namespace

TEST(tree_pairs_are_those_of_brute_force) {
  Random random(1);
  for (const auto& [count_a, count_b] :
       {std::pair(1u, 1u), std::pair(1u, 300u), std::pair(40u, 3u), std::pair(200u, 300u)}) {
    const Soup one = random_soup(random, count_a, 1, 0.3), other = random_soup(random, count_b, 1, 0.2);
    Run run(1);
    const TriangleBvh a(one.vertices, one.triangles, run), b(other.vertices, other.triangles, run);
    Found found = all_pairs(a, b), expected;
    std::sort(found.begin(), found.end());
    for (uint32_t i = 0; i < count_a; ++i)
      for (uint32_t j = 0; j < count_b; ++j)
        if (const TrianglePair pair = relation(one.corners(i), other.corners(j)); pair != TrianglePair::apart)
          expected.emplace_back(i, j, pair);
    CHECK(found == expected);
    CHECK(do_meet(a, b) == !expected.empty());
    std::vector<Vec3> corners_a, corners_b;
    for (size_t k = 0; k < one.triangles.size(); ++k)
      for (const Vec3& p : one.corners(k)) corners_a.push_back(p);
    for (size_t k = 0; k < other.triangles.size(); ++k)
      for (const Vec3& p : other.corners(k)) corners_b.push_back(p);
    CHECK(do_meet(corners_a, corners_b, run) == !expected.empty());
  }
}

TEST(tree_pairs_come_in_one_order_and_end_early) {
  Random random(2);
  const Soup one = random_soup(random, 9000, 2, 0.1), other = random_soup(random, 7000, 2, 0.1);
  Run alone(1), many(3);
  const Found expected = all_pairs({one.vertices, one.triangles, alone}, {other.vertices, other.triangles, alone});
  const TriangleBvh a(one.vertices, one.triangles, many), b(other.vertices, other.triangles, many);
  CHECK(all_pairs(a, b) == expected);
  CHECK(expected.size() > 100);
  Found first;
  CHECK(!each_meeting_pair(a, b, [&](uint32_t i, uint32_t j, TrianglePair pair) {
    first.emplace_back(i, j, pair);
    return first.size() < 10;
  }));
  CHECK(first == Found(expected.begin(), expected.begin() + 10));
}

TEST(tree_pairs_of_empty_and_distant_surfaces_are_none) {
  Run run(1);
  const TriangleBvh none(std::span<const Vec3>{}, std::span<const Triangle>{}, run);
  const Soup low = sheet(30, 0), high = sheet(30, 1);
  const TriangleBvh a(low.vertices, low.triangles, run), b(high.vertices, high.triangles, run);
  CHECK(!do_meet(a, none) && !do_meet(none, a) && !do_meet(none, none) && !do_meet(a, b));
  CHECK(self_crossings(none).empty());
  CHECK(do_meet(a, a));
}

TEST(self_crossings_leave_neighbours_out) {
  Run run(1);
  Soup soup = sheet(40, 0);
  CHECK(self_crossings({soup.vertices, soup.triangles, run}, true).empty());
  // A second sheet through the first one, and one of its triangles twice.
  const Soup slanted = sheet(40, 0.1);
  const auto shift = static_cast<uint32_t>(soup.vertices.size());
  const size_t lower = soup.triangles.size();
  for (const Vec3& p : slanted.vertices) soup.vertices.push_back(p + Vec3{0.37, 0.21, 0.01 * p.x - 0.2});
  for (const Triangle& t : slanted.triangles) soup.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
  soup.triangles.push_back(soup.triangles[5]);
  const auto twice = static_cast<uint32_t>(soup.triangles.size() - 1);
  const TriangleBvh tree(soup.vertices, soup.triangles, run);
  const std::vector<CrossingPair> found = self_crossings(tree);
  std::vector<CrossingPair> expected;
  for (uint32_t i = 0; i < soup.triangles.size(); ++i)
    for (uint32_t j = i + 1; j < soup.triangles.size(); ++j) {
      if (std::max({soup.corners(i)[0].x, soup.corners(i)[1].x, soup.corners(i)[2].x}) + 3 <
          std::min({soup.corners(j)[0].x, soup.corners(j)[1].x, soup.corners(j)[2].x}))
        continue;  // only to save time
      if (const TrianglePair pair = relation(soup.corners(i), soup.corners(j)); pair >= TrianglePair::cross)
        expected.push_back({i, j, pair});
    }
  CHECK(found == expected);
  CHECK(std::find(found.begin(), found.end(), CrossingPair{5, twice, TrianglePair::overlap}) != found.end());
  CHECK(std::count_if(found.begin(), found.end(), [&](const CrossingPair& p) {
          return p.first < lower && p.second >= lower && p.relation == TrianglePair::cross;
        }) > 100);
  CHECK(self_crossings(tree, false, 7).size() == 7);
}
