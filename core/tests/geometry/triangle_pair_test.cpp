// Pairs of triangles: named cases, symmetry, and an oracle that shares no code (tests/test_triangle_pairs.py has
// another one, in fractions).
#include "geometry/triangle_pair.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/random.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::geometry;

namespace {

const TriangleCorners kFloor = {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}};

Vec3 grid_point(Random& random, uint64_t side) {
  const auto at = [&] { return static_cast<double>(random.below(side)); };
  const double x = at(), y = at();
  return {x, y, at()};
}

// ---- The oracle, in whole numbers: intersects segments with triangles by Cramer's rule.

using Whole = long long;
struct IntVec {
  Whole x, y, z;
};
IntVec whole(const Vec3& p) { return {static_cast<Whole>(p.x), static_cast<Whole>(p.y), static_cast<Whole>(p.z)}; }
IntVec operator-(const IntVec& a, const IntVec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
IntVec cross_of(const IntVec& a, const IntVec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Whole dot_of(const IntVec& a, const IntVec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// Solves p + s (q - p) = a + u (b - a) + v (c - a) if the solution is unique: s, u, v and 1 - u - v must be in [0, 1],
// or strictly between for `strictly`.
bool pierces(const Vec3& p, const Vec3& q, const TriangleCorners& t, bool strictly) {
  const IntVec along = whole(q) - whole(p), e = whole(t[1]) - whole(t[0]), f = whole(t[2]) - whole(t[0]);
  const IntVec from = whole(p) - whole(t[0]), normal = cross_of(e, f);
  Whole below = -dot_of(along, normal);
  if (below == 0) return false;
  Whole s = dot_of(from, normal), u = dot_of(cross_of(along, f), from), v = dot_of(cross_of(e, along), from);
  if (below < 0) below = -below, s = -s, u = -u, v = -v;
  const Whole least = strictly ? 1 : 0;
  return s >= least && below - s >= least && u >= least && v >= least && below - u - v >= least;
}

bool any_edge_pierces(const TriangleCorners& a, const TriangleCorners& b, bool strictly) {
  for (size_t k = 0; k < 3; ++k)
    if (pierces(a[k], a[(k + 1) % 3], b, strictly)) return true;
  return false;
}

bool are_in_one_plane(const TriangleCorners& a, const TriangleCorners& b) {
  const IntVec normal = cross_of(whole(a[1]) - whole(a[0]), whole(a[2]) - whole(a[0]));
  return std::all_of(b.begin(), b.end(), [&](const Vec3& p) { return dot_of(normal, whole(p) - whole(a[0])) == 0; });
}

bool has_area(const TriangleCorners& t) {
  const IntVec normal = cross_of(whole(t[1]) - whole(t[0]), whole(t[2]) - whole(t[0]));
  return dot_of(normal, normal) != 0;
}

}  // namespace

TEST(triangle_pairs_of_named_cases) {
  struct Case {
    TriangleCorners other;
    TrianglePair expected;
  };
  for (const auto& [other, expected] : {
           Case{{{{0, 0, 1}, {4, 0, 1}, {0, 4, 1}}}, TrianglePair::apart},
           Case{{{{9, 9, 0}, {8, 9, 0}, {9, 8, 0}}}, TrianglePair::apart},   // in its plane
           Case{{{{3, 3, -1}, {3, 3, 1}, {5, 5, 0}}}, TrianglePair::apart},  // beside it, through its plane
           Case{{{{0, 0, 0}, {0, 0, 4}, {-4, 0, 4}}}, TrianglePair::share_corner},
           Case{{{{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}}}, TrianglePair::share_corner},  // in its plane
           Case{{{{0, 0, 0}, {4, 0, 0}, {0, 0, 4}}}, TrianglePair::share_edge},
           Case{{{{4, 0, 0}, {0, 0, 0}, {0, -4, 0}}}, TrianglePair::share_edge},  // in its plane
           Case{{{{1, 1, 0}, {1, 1, 1}, {2, 1, 1}}}, TrianglePair::touch},        // a corner inside it
           Case{{{{1, 1, 0}, {2, 1, 0}, {1, 1, 1}}}, TrianglePair::touch},        // an edge inside it
           Case{{{{1, -1, 0}, {1, 1, 0}, {1, 0, 3}}}, TrianglePair::touch},       // an edge lies over its edge
           Case{{{{0, 0, 0}, {2, 2, 0}, {0, 0, 3}}}, TrianglePair::touch},        // more than a corner in common
           Case{{{{1, 0, 0}, {3, 0, 0}, {2, -1, 0}}}, TrianglePair::touch},       // part of an edge
           Case{{{{0, 0, 0}, {2, 0, 0}, {1, -1, 0}}}, TrianglePair::touch},       // part of one, from a corner on
           Case{{{{4, 0, 0}, {0, 4, 0}, {4, 4, 0}}}, TrianglePair::share_edge},
           Case{{{{1, 1, -1}, {1, 1, 1}, {2, 2, 1}}}, TrianglePair::cross},
           Case{{{{0, 0, 0}, {2, 2, 2}, {2, 2, -2}}}, TrianglePair::cross},   // from a common corner
           Case{{{{1, 1, 0}, {2, 1, 0}, {1, 2, 0}}}, TrianglePair::overlap},  // inside it
           Case{{{{-1, 1, 0}, {9, 1, 0}, {9, 2, 0}}}, TrianglePair::overlap},
           Case{{{{0, 0, 0}, {4, 0, 0}, {1, 1, 0}}}, TrianglePair::overlap},  // folded back over it
           Case{kFloor, TrianglePair::overlap},
           Case{{{{1, 1, 1}, {1, 1, -1}, {1, 1, 0}}}, TrianglePair::cross},   // a segment through it
           Case{{{{1, 1, 0}, {1, 1, 3}, {1, 1, 1}}}, TrianglePair::touch},    // a segment that ends in it
           Case{{{{1, 1, 0}, {1, 1, 0}, {1, 1, 0}}}, TrianglePair::overlap},  // a point in it
           Case{{{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}, TrianglePair::touch},    // a point at its corner
           Case{{{{0, 0, 0}, {2, 0, 0}, {4, 0, 0}}}, TrianglePair::touch},    // a segment along its edge
           Case{{{{5, 0, 0}, {6, 0, 0}, {7, 0, 0}}}, TrianglePair::apart},
       }) {
    CHECK(relation(kFloor, other) == expected);
    CHECK(relation(other, kFloor) == expected);
  }
}

// The result does not depend on the order of the corners or the triangles, or on a rotation by a right angle.
TEST(triangle_pairs_are_symmetric) {
  Random random(1);
  for (int k = 0; k < 20000; ++k) {
    TriangleCorners a, b;
    for (Vec3& p : a) p = grid_point(random, 4);
    for (Vec3& p : b) p = grid_point(random, 4);
    const TrianglePair expected = relation(a, b);
    CHECK(relation(b, a) == expected);
    std::rotate(a.begin(), a.begin() + 1, a.end());
    std::swap(b[0], b[random.below(3)]);
    CHECK(relation(a, b) == expected);
    for (TriangleCorners* t : {&a, &b})
      for (Vec3& p : *t) p = {p.y, -p.x, p.z + 7};
    CHECK(relation(a, b) == expected);
  }
}

// Compares pairs on a coarse grid, where most are degenerate in some way, with the oracle in whole numbers.
TEST(triangle_pairs_agree_with_whole_numbers) {
  Random random(2);
  int counted[6] = {};
  for (int k = 0; k < 60000; ++k) {
    TriangleCorners a, b;
    for (Vec3& p : a) p = grid_point(random, 3 + static_cast<uint64_t>(k % 4));
    for (Vec3& p : b) p = grid_point(random, 3 + static_cast<uint64_t>(k % 4));
    if (!has_area(a) || !has_area(b) || are_in_one_plane(a, b)) continue;
    const TrianglePair found = relation(a, b);
    ++counted[static_cast<size_t>(found)];
    // Triangles in different planes meet where an edge of one meets the other. An edge in the plane meets it at an end,
    // or where one of the other's edges meets this edge.
    const bool meets = any_edge_pierces(a, b, false) || any_edge_pierces(b, a, false);
    CHECK((found != TrianglePair::apart) == meets);
    if (any_edge_pierces(a, b, true) || any_edge_pierces(b, a, true)) CHECK(found == TrianglePair::cross);
    const auto is_common = [&](const Vec3& p) { return std::find(b.begin(), b.end(), p) != b.end(); };
    const auto common = std::count_if(a.begin(), a.end(), is_common);
    if (found == TrianglePair::share_corner) CHECK(common == 1);
    if (found == TrianglePair::share_edge) CHECK(common == 2);
    if (common == 2) CHECK(found == TrianglePair::share_edge);
  }
  for (const size_t each : {0, 1, 2, 3, 4}) CHECK(counted[each] > 100);
}

// One step of a double decides: a corner lifted off a plane no longer touches it, and a corner pushed through it
// crosses it.
TEST(triangle_pairs_see_one_step_of_a_double) {
  Random random(3);
  for (int k = 0; k < 2000; ++k) {
    // A slanted plane of whole numbers, an exact point in it, and a triangle above that point.
    const Vec3 u = grid_point(random, 64) + Vec3{1, 0, 0}, v = grid_point(random, 64) + Vec3{0, 1, 0};
    const Vec3 normal = cross(u, v), origin = grid_point(random, 1000) + Vec3{1, 1, 1};
    if (std::abs(normal.x) + std::abs(normal.y) > 20 * std::abs(normal.z)) continue;  // too steep
    const TriangleCorners floor = {{origin, origin + u * 8, origin + v * 8}};
    const Vec3 at = origin + u * 2 + v * 2, up{0, 0, normal.z > 0 ? 1.0 : -1.0};
    const auto over = [&](const Vec3& tip) {
      return TriangleCorners{{tip, tip + up * 900 + Vec3{7, 3, 0}, tip + up * 900 + Vec3{-5, 2, 0}}};
    };
    const double far_up = at.z + up.z * 1e6, far_down = at.z - up.z * 1e6;
    CHECK(relation(floor, over(at)) == TrianglePair::touch);
    CHECK(relation(floor, over({at.x, at.y, std::nextafter(at.z, far_up)})) == TrianglePair::apart);
    CHECK(relation(floor, over({at.x, at.y, std::nextafter(at.z, far_down)})) == TrianglePair::cross);
  }
}
