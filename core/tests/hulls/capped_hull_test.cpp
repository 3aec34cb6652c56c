// Hulls of few vertices contain all points, are convex, and are never larger than the bounding box.
#include "hulls/capped_hull.hpp"

#include "base/random.hpp"
#include "geometry/convex_hull.hpp"
#include "geometry/linear_program.hpp"
#include "geometry/predicates.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::hulls;

namespace {

Vec3 in_cube(Random& random) { return {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}; }

Vec3 on_ball(Random& random) {
  for (;;)
    if (const Vec3 p = in_cube(random); norm_sq(p) < 1 && norm_sq(p) > 1e-3) return normalized(p);
}

enum class Cloud { cube, ball, needle, plate, bowl, cylinder, box_faces, grid, rounded, count };

std::vector<Vec3> cloud(Cloud kind, size_t count, Random& random) {
  std::vector<Vec3> points;
  for (size_t k = 0; k < count; ++k) {
    Vec3 p = in_cube(random);
    const double angle = kPi * static_cast<double>(k / 2) / static_cast<double>((count + 3) / 4);
    const int side = static_cast<int>(random.below(3));
    switch (kind) {
      case Cloud::cube: break;
      case Cloud::ball: p = on_ball(random); break;
      case Cloud::needle: p = {p.x, p.y * 1e-3, p.z * 1e-3}; break;
      case Cloud::plate: p = {p.x, p.y, p.z * 1e-4}; break;
      case Cloud::bowl: p.z = 0.3 * (p.x * p.x + 0.5 * p.y * p.y); break;
      case Cloud::cylinder: p = {std::cos(angle), std::sin(angle), k % 2 ? 1.0 : -1.0}; break;
      case Cloud::box_faces: p[side] = p[side] < 0 ? -1 : 1; break;
      case Cloud::grid: p = {std::round(2 * p.x), std::round(2 * p.y), std::round(2 * p.z)}; break;
      default: p = {std::round(1e4 * p.x) / 1e4, std::round(1e4 * p.y) / 1e4, p.z < 0 ? 0.0 : 0.1};
    }
    points.push_back(p);
  }
  const Frame turned = frame_from(on_ball(random), on_ball(random));
  const Vec3 moved = in_cube(random) * 3;
  for (Vec3& p : points)
    if (kind != Cloud::grid) p = turned.to_world(p) + moved;
  return points;
}

template <class Body>
void for_clouds(Body&& body) {
  Random random(11);
  for (int kind = 0; kind < static_cast<int>(Cloud::count); ++kind)
    for (const size_t count : {5, 17, 64, 150, 400}) body(cloud(static_cast<Cloud>(kind), count, random));
}

double furthest_out(const Hull& hull, std::span<const Vec3> points) {
  std::vector<double> distances(points.size());
  signed_distance(hull, points, distances);
  return *std::max_element(distances.begin(), distances.end());
}

// Every vertex lies below every facet, by exact predicates, up to the facet's own rounding.
bool is_convex_surface(const Hull& hull) {
  const Result<ConvexHull> exact = convex_hull(hull.vertices);
  const Hull again{exact.value().mesh.vertices, exact.value().mesh.triangles};
  return hull.triangles.size() + 4 == 2 * hull.vertices.size() &&
         std::abs(volume(again) - volume(hull)) <= 1e-9 * volume(again);
}

constexpr uint32_t kCaps[] = {4, 5, 6, 8, 12, 16, 32, 64, 255};
constexpr double kThickness = 1e-5;

}  // namespace

TEST(capped_hulls_enclose_every_point_with_few_vertices) {
  for_clouds([](const std::vector<Vec3>& points) {
    for (const uint32_t cap : kCaps) {
      const auto hull = capped_hull(points, cap, kThickness);
      CHECK(hull.has_value());
      if (!hull) continue;
      CHECK(hull->vertices.size() <= cap);
      CHECK(furthest_out(*hull, points) <= 0);
      CHECK(is_convex_surface(*hull));
    }
  });
}

TEST(capped_hulls_are_no_larger_than_the_box_and_shrink_as_the_cap_grows) {
  for_clouds([](const std::vector<Vec3>& points) {
    Bounds box = bounds_of(points);
    box.grow(2 * kThickness);
    double previous = Bounds::kInfinity;
    for (uint32_t cap = 4; cap <= 256; cap *= 2) {
      const double now = volume(*capped_hull(points, cap, kThickness));
      CHECK(now <= previous * (1 + 1e-6));
      if (cap >= 8) CHECK(now <= box.volume());
      previous = now;
    }
  });
}

TEST(a_capped_hull_with_room_for_all_vertices_is_the_hull) {
  for_clouds([](const std::vector<Vec3>& points) {
    const Result<ConvexHull> exact = convex_hull(points);
    const Hull hull{exact.value().mesh.vertices, exact.value().mesh.triangles};
    const auto count = static_cast<uint32_t>(hull.vertices.size());
    if (exact.value().dimension < 3) return;
    CHECK_NEAR(volume(*capped_hull(points, count, kThickness)) / volume(hull), 1, 1e-6);
  });
}

// The figures of docs/fit.md, with some margin.
TEST(capped_hulls_of_round_things_are_tight) {
  Random random(5);
  const double most[] = {1.9, 1.35, 1.16, 1.08};
  for (const size_t count : {64, 300}) {
    const std::vector<Vec3> points = cloud(Cloud::ball, count, random);
    const double true_volume = volume(*capped_hull(points, 2000, kThickness));
    for (size_t k = 0; k < 4; ++k) CHECK(volume(*capped_hull(points, 8u << k, kThickness)) <= most[k] * true_volume);
  }
  const std::vector<Vec3> box = cloud(Cloud::box_faces, 400, random);
  CHECK(volume(*capped_hull(box, 8, kThickness)) <= 8.0001);
}

TEST(capped_hulls_do_not_depend_on_units_or_the_run) {
  Random random(3);
  const std::vector<Vec3> points = cloud(Cloud::ball, 80, random);
  for (const double scale : {0x1p-30, 1.0, 0x1p30}) {
    std::vector<Vec3> scaled = points;
    for (Vec3& p : scaled) p = p * scale;
    const Hull hull = *capped_hull(scaled, 20, kThickness * scale), same = *capped_hull(points, 20, kThickness);
    CHECK(hull.triangles == same.triangles);
    for (size_t v = 0; v < hull.vertices.size(); ++v) CHECK(hull.vertices[v] == same.vertices[v] * scale);
  }
}

TEST(flat_points_get_thickness_or_no_hull) {
  Random random(9);
  CHECK(!capped_hull({}, 8, kThickness));
  for (int dimension = 0; dimension < 3; ++dimension) {
    std::vector<Vec3> points;
    const Vec3 u = on_ball(random), v = on_ball(random), o = in_cube(random);
    for (int k = 0; k < 40; ++k)
      points.push_back(o + u * (dimension > 0 ? random.uniform() : 0) + v * (dimension > 1 ? random.uniform() : 0));
    for (const uint32_t cap : kCaps) {
      const auto hull = capped_hull(points, cap, 0.01);
      CHECK(hull && hull->vertices.size() <= cap && furthest_out(*hull, points) <= 0);
      if (!hull) continue;
      for (int k = 0; k < 50; ++k) {  // nowhere thinner than the given thickness
        const Vec3 n = on_ball(random);
        Vec3 ends[2];
        support(*hull, std::vector{n, -n}, ends);
        CHECK(dot(n, ends[0] - ends[1]) >= 0.0199);
      }
    }
  }
  CHECK(!capped_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 8, 0));
  CHECK(!capped_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, NAN}}, 8, 1));
}

// Tests every corner of three planes.
TEST(linear_programs_find_the_best_corner) {
  Random random(21);
  int solved = 0, without = 0;
  for (int k = 0; k < 400; ++k) {
    std::vector<HalfSpace> all(3 + random.below(10));
    const bool crowded = random.uniform() < 0.3;
    for (HalfSpace& h : all) h = {on_ball(random), crowded ? random.uniform(-1.5, 0.5) : random.uniform(0, 1)};
    const Vec3 objective = on_ball(random);
    const auto found = lowest_point(objective, all, 2);
    for (int axis = 0; axis < 3; ++axis)
      for (const double side : {-1.0, 1.0}) {
        HalfSpace h{{0, 0, 0}, 2};
        h.normal[axis] = side;
        all.push_back(h);
      }
    double best = Bounds::kInfinity;
    for (size_t a = 0; a < all.size(); ++a)
      for (size_t b = 0; b < a; ++b)
        for (size_t c = 0; c < b; ++c) {
          const Vec3 bc = cross(all[b].normal, all[c].normal);
          const double det = dot(all[a].normal, bc);
          if (std::abs(det) < 1e-9) continue;
          const Vec3 p = (bc * all[a].offset + cross(all[c].normal, all[a].normal) * all[b].offset +
                          cross(all[a].normal, all[b].normal) * all[c].offset) /
                         det;
          if (std::all_of(all.begin(), all.end(), [&](const HalfSpace& h) { return h.above(p) <= 1e-9; }))
            best = std::min(best, dot(objective, p));
        }
    CHECK(found.has_value() == (best < Bounds::kInfinity));
    if (!found) {
      ++without;
      continue;
    }
    ++solved;
    CHECK_NEAR(dot(objective, *found), best, 1e-7);
    for (const HalfSpace& h : all) CHECK(h.above(*found) <= 1e-10);
  }
  CHECK(solved > 200 && without > 20);
}
