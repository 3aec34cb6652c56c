#include "geometry/ears.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.hpp"
#include "geometry/predicates.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::geometry;

namespace {

// Corners have whole coordinates, so that the sum is exact.
double twice_area(const std::vector<Vec2>& polygon) {
  double sum = 0;
  for (size_t k = 0; k < polygon.size(); ++k) {
    const Vec2 &a = polygon[k], &b = polygon[(k + 1) % polygon.size()];
    sum += a.x * b.y - a.y * b.x;
  }
  return sum;
}

// Corners in the order of their angles about the origin, on a grid: no side crosses another, some are collinear.
std::vector<Vec2> star(Random& random, size_t corners) {
  std::vector<Vec2> points;
  while (points.size() < corners) {
    const Vec2 p{std::floor(random.uniform(-9, 10)), std::floor(random.uniform(-9, 10))};
    const auto same_way = [&](const Vec2& q) { return p.x * q.y == p.y * q.x && p.x * q.x + p.y * q.y >= 0; };
    if (!(p == Vec2{}) && std::none_of(points.begin(), points.end(), same_way)) points.push_back(p);
  }
  std::sort(points.begin(), points.end(),
            [](const Vec2& a, const Vec2& b) { return std::atan2(a.y, a.x) < std::atan2(b.y, b.x); });
  return points;
}

bool has_wide_gap(const std::vector<Vec2>& points) {  // the origin is then outside, and the order may reverse
  for (size_t k = 0; k < points.size(); ++k)
    if (orient2d({}, points[k], points[(k + 1) % points.size()]) <= 0) return true;
  return false;
}

void check_sides(const std::vector<Triangle>& triangles, size_t corners) {
  std::map<std::pair<uint32_t, uint32_t>, int> sides;
  for (const Triangle& t : triangles)
    for (size_t k = 0; k < 3; ++k) {
      ++sides[{t[k], t[(k + 1) % 3]}];
      --sides[{t[(k + 1) % 3], t[k]}];
    }
  for (uint32_t k = 0; k < corners; ++k) {
    const auto next = static_cast<uint32_t>((k + 1) % corners);
    --sides[{k, next}];
    ++sides[{next, k}];
  }
  CHECK(std::all_of(sides.begin(), sides.end(), [](const auto& side) { return side.second == 0; }));
}

}  // namespace

TEST(ears_tile_polygons_that_do_not_cross_themselves) {
  Random random(11);
  int tried = 0;
  for (int round = 0; round < 600; ++round) {
    const std::vector<Vec2> polygon = star(random, 4 + random.below(20));
    if (has_wide_gap(polygon)) continue;
    ++tried;
    const std::vector<Triangle> ears = ears_of(polygon);
    CHECK(ears.size() == polygon.size() - 2);
    check_sides(ears, polygon.size());
    double sum = 0;
    for (const auto& [a, b, c] : ears) {
      // no triangle is reversed or flat, so they tile the polygon
      CHECK(orient2d(polygon[a], polygon[b], polygon[c]) > 0);
      sum += twice_area({polygon[a], polygon[b], polygon[c]});
    }
    CHECK(sum == twice_area(polygon));
  }
  CHECK(tried > 100);
}

TEST(ears_of_any_corners_have_the_polygons_sides) {
  Random random(12);
  for (int round = 0; round < 300; ++round) {
    std::vector<Vec2> polygon(3 + random.below(12));
    for (Vec2& p : polygon) p = {std::floor(random.uniform(0, 4)), std::floor(random.uniform(0, 4))};
    const std::vector<Triangle> ears = ears_of(polygon);
    CHECK(ears.size() == polygon.size() - 2);
    check_sides(ears, polygon.size());
  }
}

TEST(ears_are_right_where_rounded_areas_are_not) {
  // A notch of depth 2^-52 in a slanted side. Doubles cannot decide on which side its corner is.
  const double tiny = 0x1p-52;
  const std::vector<Vec2> polygon{{0, 0}, {3, 1}, {6, 2}, {9, 3 - tiny}, {12, 4}, {0, 9}};
  const std::vector<Triangle> ears = ears_of(polygon);
  for (const auto& [a, b, c] : ears) CHECK(orient2d(polygon[a], polygon[b], polygon[c]) > 0);
  check_sides(ears, polygon.size());
}
