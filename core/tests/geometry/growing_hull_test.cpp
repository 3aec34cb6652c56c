// Compares a hull that grows and undoes steps with the hull of all points.
#include "geometry/growing_hull.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/random.hpp"
#include "geometry/convex_hull.hpp"
#include "geometry/predicates.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::geometry;

namespace {

Vec3 random_vec(Random& random) {
  const double x = random.uniform(-1, 1), y = random.uniform(-1, 1);
  return {x, y, random.uniform(-1, 1)};
}

// Points in general position, on a sphere, or on a coarse grid, where most points lie in planes of others.
std::vector<Vec3> random_points(Random& random, size_t count, int kind) {
  std::vector<Vec3> points;
  for (size_t k = 0; k < count; ++k) {
    const Vec3 p = random_vec(random);
    if (kind == 0) points.push_back(p);
    if (kind == 1) points.push_back(normalized(p));
    if (kind == 2) points.push_back({std::round(2 * p.x), std::round(2 * p.y), std::round(2 * p.z)});
  }
  return points;
}

double volume_of(const TriangleMesh& mesh) {
  double six = 0;
  for (const auto& [a, b, c] : mesh.triangles)
    six += dot(mesh.vertices[a] - mesh.vertices[0],
               cross(mesh.vertices[b] - mesh.vertices[0], mesh.vertices[c] - mesh.vertices[0]));
  return six / 6;
}

bool is_closed(const TriangleMesh& mesh) {
  std::set<std::pair<uint32_t, uint32_t>> edges;
  for (const Triangle& t : mesh.triangles)
    for (size_t k = 0; k < 3; ++k)
      if (!edges.insert({t[k], t[(k + 1) % 3]}).second) return false;
  return std::all_of(edges.begin(), edges.end(), [&](const auto& edge) {
    return edges.count({edge.second, edge.first}) != 0;
  });
}

bool has_no_point_outside(const TriangleMesh& mesh, std::span<const Vec3> points) {
  for (const auto& [a, b, c] : mesh.triangles)
    for (const Vec3& p : points)
      if (orient3d(mesh.vertices[a], mesh.vertices[b], mesh.vertices[c], p) > 0) return false;
  return true;
}

std::vector<Vec3> sorted(std::vector<Vec3> points) {
  std::sort(points.begin(), points.end(),
            [](const Vec3& a, const Vec3& b) { return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z); });
  return points;
}

void check_against_scratch(const GrowingHull& hull, std::span<const Vec3> points) {
  const TriangleMesh mesh = hull.mesh();
  const ConvexHull expected = convex_hull(points).value();
  CHECK(is_closed(mesh) && mesh.triangles.size() + 4 == 2 * mesh.vertices.size());
  CHECK(hull.facet_count() == mesh.triangles.size());
  CHECK(has_no_point_outside(mesh, points));
  CHECK_NEAR(hull.volume(), volume_of(expected.mesh), 1e-12);
  CHECK(sorted(convex_hull(mesh.vertices).value().mesh.vertices) == sorted(expected.mesh.vertices));
}

bool operator==(const TriangleMesh& a, const TriangleMesh& b) {
  return a.vertices == b.vertices && a.triangles == b.triangles;
}

}  // namespace

TEST(growing_hull_is_the_hull_of_all_points) {
  Random random(1);
  for (int k = 0; k < 240; ++k) {
    const std::vector<Vec3> points = random_points(random, 8 + random.below(80), k % 3);
    const size_t first = 4 + random.below(4);
    auto hull = GrowingHull::around(std::span(points).first(first));
    if (!hull) {
      CHECK(convex_hull(std::span(points).first(first)).value().dimension < 3);
      continue;
    }
    for (size_t n = first; n < points.size(); ++n) {
      const bool was_inside = hull->contains(points[n]);
      CHECK(was_inside == has_no_point_outside(hull->mesh(), std::span(points).subspan(n, 1)));
      CHECK(hull->add(points[n]) == !was_inside);
      CHECK(hull->contains(points[n]));
    }
    check_against_scratch(*hull, points);
    // In general position the triangles are also those of the exact hull.
    if (k % 3 == 0) CHECK(hull->mesh().triangles.size() == convex_hull(points).value().mesh.triangles.size());
  }
}

TEST(growing_hull_takes_steps_back) {
  Random random(2);
  for (int k = 0; k < 150; ++k) {
    std::vector<Vec3> points = random_points(random, 12, k % 3);
    auto hull = GrowingHull::around(points);
    if (!hull) continue;
    for (int round = 0; round < 25; ++round) {
      const TriangleMesh before = hull->mesh();
      const double volume = hull->volume();
      const GrowingHull::Mark mark = hull->mark();
      std::vector<Vec3> more = random_points(random, 1 + random.below(12), k % 3);
      for (Vec3& p : more) p = p * (1 + 0.05 * (k % 3 == 2 ? 0 : round));
      const size_t count = hull->add(more);
      CHECK(hull->mark() == mark + count);
      if (random.uniform() < 0.3) {  // only a part of the way
        const size_t back = random.below(count + 1);
        hull->undo(mark + back);
        CHECK(hull->mark() == mark + back);
      }
      if (random.uniform() < 0.6) {
        hull->undo(mark);
        CHECK(hull->mesh() == before && hull->volume() == volume && hull->mark() == mark);
      } else {
        hull->undo(mark);
        CHECK(hull->add(more) == count);
        points.insert(points.end(), more.begin(), more.end());
        if (random.uniform() < 0.5) {
          hull->commit();
          CHECK(hull->mark() == 0);
        }
      }
    }
    check_against_scratch(*hull, points);
  }
}

TEST(growing_hull_by_hull) {
  Random random(3);
  for (int k = 0; k < 60; ++k) {
    const std::vector<Vec3> one = random_points(random, 60, k % 3);
    std::vector<Vec3> other = random_points(random, 60, k % 3);
    const Vec3 shift = random_vec(random) * 2;
    for (Vec3& p : other) p += k % 3 == 2 ? Vec3{std::round(shift.x), std::round(shift.y), 0} : shift;
    auto hull = GrowingHull::around(one);
    const auto second = GrowingHull::around(other);
    if (!hull || !second) continue;
    const GrowingHull::Mark mark = hull->mark();
    const TriangleMesh before = hull->mesh();
    hull->add(second->corners());
    std::vector<Vec3> all = one;
    all.insert(all.end(), other.begin(), other.end());
    check_against_scratch(*hull, all);
    // New facets lie in the box around the changes.
    const Bounds box = hull->changed_since(mark);
    for (int s = 0; s < 200; ++s) {
      const Vec3 p = random_vec(random) * 3;
      const bool was_in = has_no_point_outside(before, {&p, 1}), is_in = hull->contains(p);
      if (is_in && !was_in) CHECK(box.contains(p));
      CHECK(is_in || !was_in);
    }
    size_t made = 0, both = 0;
    hull->each_made_since(mark, [&](const std::array<Vec3, 3>& t) {
      ++made;
      both += orient3d(t[0], t[1], t[2], before.vertices[0]) > 0;
    });
    CHECK(both == 0 && (made > 0) == (hull->mark() > mark));
    hull->undo(mark);
    CHECK(hull->mesh() == before && hull->changed_since(mark).is_empty());
  }
}

TEST(growing_hull_of_flat_points_is_none) {
  CHECK(!GrowingHull::around({}));
  CHECK(!GrowingHull::around(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}));
  auto hull = GrowingHull::around(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  CHECK(hull && hull->facet_count() == 4);
  CHECK(!hull->add(Vec3{0, 0, 0}) && !hull->add(Vec3{0.5, 0, 0}) && !hull->add(Vec3{0.1, 0.1, 0}));
  CHECK(!hull->add(Vec3{0.25, 0.25, 0.5}));  // in the slanted side
  CHECK(hull->add(Vec3{0.25, 0.25, std::nextafter(0.5, 1)}));
  CHECK_NEAR(hull->volume(), 1 / 6.0, 1e-15);
  CHECK(hull->add(Vec3{2, 0, 0}) && hull->mark() == 2);
  hull->undo(0);
  CHECK(hull->volume() == 1 / 6.0 && hull->corners().size() == 4);
}
