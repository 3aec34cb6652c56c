// Cuts polygons and polytopes by planes. Sampled points and tests of closed surfaces are the oracles.
#include <algorithm>
#include <map>
#include <tuple>

#include "base/random.hpp"
#include "clip/polytope.hpp"
#include "tests/check.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::clip;

namespace {

HalfSpace random_plane(Random& random, const Vec3& around, double away) {
  const Vec3 normal = tests::random_direction(random);
  return {normal, dot(normal, around) + random.uniform(-away, away)};
}

bool is_behind_all(const Vec3& p, std::span<const HalfSpace> planes, double by) {
  return std::all_of(planes.begin(), planes.end(), [&](const HalfSpace& plane) { return plane.above(p) <= -by; });
}

Vec3 point_in(const Bounds& box, Random& random) {
  return {random.uniform(box.low.x, box.high.x), random.uniform(box.low.y, box.high.y),
          random.uniform(box.low.z, box.high.z)};
}

// A regular polygon in a random plane.
Polygon random_polygon(Random& random, size_t corners, double radius) {
  const Frame frame = to_frame(tests::random_rotation(random));
  const Vec3 center = tests::random_point(random, 0.5);
  Polygon polygon;
  for (size_t k = 0; k < corners; ++k) {
    const double angle = 2 * kPi * static_cast<double>(k) / static_cast<double>(corners);
    polygon.push_back(center + frame.to_world({radius * std::cos(angle), radius * std::sin(angle), 0}));
  }
  return polygon;
}

// A random point of a convex polygon, which may be a corner.
Vec3 point_of(const Polygon& polygon, Random& random) {
  std::vector<double> weights;
  double sum = 0;
  for (size_t k = 0; k < polygon.size(); ++k) {
    const double u = random.uniform();
    weights.push_back(u * u * u * u);
    sum += weights.back();
  }
  Vec3 p;
  for (size_t k = 0; k < polygon.size(); ++k) p += polygon[k] * (weights[k] / sum);
  return p;
}

using Edge = std::tuple<double, double, double, double, double, double>;
Edge edge_of(const Vec3& a, const Vec3& b) { return {a.x, a.y, a.z, b.x, b.y, b.z}; }

// Whether each edge of a side is an edge of another side in reverse, bit for bit.
bool is_closed(const Polytope& polytope) {
  std::map<Edge, int> edges;
  for (const Polygon& side : polytope.sides())
    for (size_t k = 0; k < side.size(); ++k) {
      ++edges[edge_of(side[k], side[(k + 1) % side.size()])];
      --edges[edge_of(side[(k + 1) % side.size()], side[k])];
    }
  return std::all_of(edges.begin(), edges.end(), [](const auto& edge) { return edge.second == 0; });
}

// Euler's number: corners - edges + sides. It is 2 for a connected, closed surface.
long euler(const Polytope& polytope) {
  long edges = 0;
  for (const Polygon& side : polytope.sides()) edges += static_cast<long>(side.size());
  return static_cast<long>(polytope.corners().size()) - edges / 2 + static_cast<long>(polytope.sides().size());
}

bool is_convex(const Polytope& polytope, double tolerance) {
  for (const Polygon& side : polytope.sides()) {
    const Vec3 normal = double_area(side);
    if (norm(normal) < 1e-9) continue;
    for (const Vec3& p : polytope.corners())
      if (dot(normalized(normal), p - side[0]) > tolerance) return false;
  }
  return true;
}

}  // namespace

TEST(clip_polygons_keep_what_is_behind_all_planes) {
  Random random(1);
  size_t cut = 0, gone = 0;
  for (int k = 0; k < 600; ++k) {
    const Polygon polygon = random_polygon(random, 3 + random.below(6), 1);
    std::vector<HalfSpace> planes;
    for (uint64_t n = random.below(7); n-- > 0;) planes.push_back(random_plane(random, polygon[0] * 0.3, 0.8));
    const double depth = random.uniform() < 0.5 ? 0 : random.uniform(-0.1, 0.2);
    const Polygon left = clipped(polygon, planes, depth);
    for (const Vec3& p : left) CHECK(is_behind_all(p, planes, depth - 1e-12));
    // The part contains exactly the sampled points behind the planes: other points are outside one of its edges.
    const Vec3 normal = normalized(double_area(polygon));
    CHECK(left.size() < 3 || dot(double_area(left), normal) >= -1e-12);
    bool any_deep = false;
    for (int s = 0; s < 60; ++s) {
      const Vec3 p = point_of(polygon, random);
      const bool deep = is_behind_all(p, planes, depth + 1e-9), out = !is_behind_all(p, planes, depth - 1e-9);
      any_deep = any_deep || deep;
      bool in_left = left.size() >= 3;
      for (size_t c = 0; c < left.size() && in_left; ++c) {
        const Vec3& a = left[c];
        in_left = dot(cross(left[(c + 1) % left.size()] - a, p - a), normal) >= -1e-10;
      }
      if (deep) CHECK(in_left);
      if (out && in_left) CHECK(is_behind_all(p, planes, depth - 1e-6));  // only on the border
    }
    if (any_deep) CHECK(enters(polygon, planes, depth));
    if (left.empty()) CHECK(!enters(polygon, planes, depth));
    cut += left.size() >= 3 && left != polygon;
    gone += left.empty();
  }
  CHECK(cut > 100 && gone > 50);
}

TEST(clip_a_polygon_in_the_surface_does_not_enter) {
  const std::vector<HalfSpace> cube = {{{1, 0, 0}, 1},  {{-1, 0, 0}, 0}, {{0, 1, 0}, 1},
                                       {{0, -1, 0}, 0}, {{0, 0, 1}, 1},  {{0, 0, -1}, 0}};
  const Polygon top = {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  CHECK(!enters(top, cube) && clipped(top, cube).size() == 4);
  Polygon lower = top, higher = top;
  for (Vec3& p : lower) p.z -= 1e-12;
  for (Vec3& p : higher) p.z += 1e-12;
  CHECK(enters(lower, cube) && !enters(lower, cube, 1e-9));
  CHECK(!enters(higher, cube) && clipped(higher, cube).empty());
  const Polygon wall = {{0.5, 0.5, 1}, {0.5, 0.5, 2}, {2, 2, 2}};  // touches the box at a corner
  CHECK(!enters(wall, cube));
  const Polygon through = {{-3, 0.5, 0.5}, {4, 0.5, 0.5}, {0.5, 9, 0.5}};  // all its corners are outside the box
  CHECK(enters(through, cube) && !enters(through, cube, 0.51));
  CHECK(!enters({}, cube) && clipped({}, cube).empty());
  CHECK(enters(top, {}) && clipped(top, {}) == top);
}

TEST(clip_split_gives_each_corner_to_its_part) {
  const std::vector<int> sides = {-1, -1, 0, 1, 1, 0};
  const std::vector<int> polygon = {0, 1, 2, 3, 4, 5};
  int asked = 0;
  const auto parts = split(
      std::span(polygon), [&](int p) { return sides[static_cast<size_t>(p)]; }, [&](int, int) { return ++asked; });
  CHECK((parts[0] == std::vector{0, 1, 2, 5} && parts[1] == std::vector{2, 3, 4, 5} && asked == 0));
  const std::vector<int> plain = {0, 1, 3, 4};
  const auto made = split(
      std::span(plain), [&](int p) { return sides[static_cast<size_t>(p)]; }, [&](int a, int b) { return 10 * a + b; });
  CHECK((made[0] == std::vector{0, 1, 13, 40} && made[1] == std::vector{13, 3, 4, 40}));
}

TEST(clip_passing_does_not_depend_on_the_direction) {
  Random random(2);
  for (int k = 0; k < 3000; ++k) {
    const Vec3 a = tests::random_point(random, 3), b = tests::random_point(random, 3);
    const HalfSpace plane = random_plane(random, (a + b) * 0.5, 0.1);
    if (plane.above(a) * plane.above(b) >= 0) continue;
    const Vec3 p = passing(a, b, plane);
    CHECK(p == passing(b, a, plane));
    CHECK_NEAR(plane.above(p), 0, 1e-14);
    CHECK_NEAR(norm(p - a) + norm(b - p), norm(b - a), 1e-14);
  }
}

TEST(clip_polytopes_are_closed_and_fill_what_was_cut) {
  Random random(3);
  const Bounds box{{-1, -2, -0.5}, {2, 1, 3}};
  for (int k = 0; k < 150; ++k) {
    std::vector<Polytope> cells{Polytope(box)};
    for (int cut = 0; cut < 7; ++cut) {
      const HalfSpace plane = random_plane(random, box.center(), 1);
      std::vector<Polytope> next;
      for (const Polytope& cell : cells) {
        double sum = 0;
        auto halves = cell.cut(plane);
        for (size_t half = 0; half < 2; ++half) {
          sum += halves[half].volume();
          for (const Vec3& p : halves[half].corners()) CHECK((half == 0 ? 1 : -1) * plane.above(p) <= 1e-12);
          if (!halves[half].is_empty()) next.push_back(std::move(halves[half]));
        }
        CHECK_NEAR(sum, cell.volume(), 1e-12);
      }
      cells = std::move(next);
    }
    double sum = 0;
    for (const Polytope& cell : cells) {
      CHECK(is_closed(cell) && euler(cell) == 2 && is_convex(cell, 1e-9));
      CHECK(cell.volume() > 0);
      sum += cell.volume();
    }
    CHECK_NEAR(sum, box.volume(), 1e-11);
    CHECK(cells.size() > 7);
  }
}

TEST(clip_polytopes_hold_the_points_behind_their_planes) {
  Random random(4);
  const Bounds box{{-1, -1, -1}, {1, 1, 1}};
  double largest = 0;
  for (int k = 0; k < 150; ++k) {
    std::vector<HalfSpace> planes;
    for (uint64_t n = 1 + random.below(20); n-- > 0;) planes.push_back(random_plane(random, {0, 0, 0}, 0.9));
    const Polytope polytope(box, planes);
    for (const Vec3& p : polytope.corners()) CHECK(is_behind_all(p, planes, -1e-12) && box.contains(p));
    constexpr int kSamples = 4000;
    int behind = 0;
    for (int s = 0; s < kSamples; ++s) {
      const Vec3 p = point_in(box, random);
      const bool is_behind = is_behind_all(p, planes, 0);
      behind += is_behind;
      if (s % 20 != 0) continue;
      const bool is_in = !polytope.is_empty() &&
                         std::all_of(polytope.sides().begin(), polytope.sides().end(),
                                     [&](const Polygon& side) { return dot(double_area(side), p - side[0]) <= 0; });
      CHECK(is_in == is_behind);
    }
    const double share = static_cast<double>(behind) / kSamples;
    const double error = 5 * std::sqrt((share * (1 - share) + 1e-3) / kSamples);
    CHECK_NEAR(polytope.volume() / box.volume(), share, error);
    largest = std::max(largest, polytope.volume());
  }
  CHECK(largest > 1);
}

// Planes through corners, along edges and along sides: every case of a corner exactly on the plane.
TEST(clip_polytopes_by_planes_through_their_corners) {
  Random random(5);
  const Bounds box{{0, 0, 0}, {4, 4, 4}};
  const auto whole_number = [&] { return static_cast<double>(random.below(5)) - 2; };
  size_t touched = 0, slivers = 0;
  for (int k = 0; k < 3000; ++k) {
    std::vector<Polytope> cells{Polytope(box)};
    for (int cut = 0; cut < 3; ++cut) {
      const double x = whole_number(), y = whole_number();
      const Vec3 direction{x, y, whole_number()};
      if (norm_sq(direction) == 0) continue;
      // A normal of whole numbers, not of length 1, so distances from the plane are exact.
      const HalfSpace plane{direction, dot(direction, Vec3{2, 2, 2}) + 2 * whole_number()};
      std::vector<Polytope> next;
      for (const Polytope& cell : cells) {
        const auto halves = cell.cut(plane);
        touched += halves[0].is_empty() || halves[1].is_empty();
        CHECK_NEAR(halves[0].volume() + halves[1].volume(), cell.volume(), 1e-12);
        for (size_t half = 0; half < 2; ++half) {
          if (halves[half].is_empty()) continue;
          for (const Vec3& p : halves[half].corners()) CHECK((half == 0 ? 1 : -1) * plane.above(p) <= 1e-12);
          // It is a part, or a sliver whose corners are off the plane by rounding.
          CHECK(halves[half].volume() > 1e-3 || std::abs(halves[half].volume()) < 1e-13);
          slivers += halves[half].volume() < 1e-3;
          // A second cut by the same plane removes only what rounding left on its other side.
          const auto again = halves[half].cut(plane);
          CHECK_NEAR(again[half].volume(), halves[half].volume(), 1e-12);
          next.push_back(halves[half]);
        }
      }
      cells = std::move(next);
    }
    for (const Polytope& cell : cells) {
      CHECK(is_closed(cell));
      if (cell.volume() > 1e-3) CHECK(is_convex(cell, 1e-9));
    }
  }
  CHECK(touched > 300 && slivers < 100);
}

TEST(clip_a_plane_that_misses_leaves_a_polytope_as_it_is) {
  const Polytope cube(Bounds{{0, 0, 0}, {1, 1, 1}});
  CHECK(cube.volume() == 1 && cube.corners().size() == 8 && is_closed(cube));
  for (const double offset : {1.0, 1.5}) {
    const auto halves = cube.cut({{1, 0, 0}, offset});
    CHECK(halves[0].sides().size() == 6 && halves[1].is_empty());
    const auto turned = cube.cut({{-1, 0, 0}, -offset});
    CHECK(turned[0].is_empty() && turned[1].sides().size() == 6);
  }
  const Vec3 diagonal = normalized(Vec3{1, 1, 0});
  const auto along_edge = cube.cut({diagonal, dot(diagonal, Vec3{1, 1, 0})});
  CHECK(along_edge[0].sides().size() == 6 && along_edge[1].is_empty());
  CHECK(Polytope().cut({{1, 0, 0}, 0})[0].is_empty() && Polytope().volume() == 0);
  const std::vector<HalfSpace> nothing = {{{1, 0, 0}, -1}};
  CHECK(Polytope(Bounds{{0, 0, 0}, {1, 1, 1}}, nothing).is_empty());
}
