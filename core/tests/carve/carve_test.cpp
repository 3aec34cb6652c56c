// The rooms of carve, one by one: hulls with their distances, spheres in bins, cuts, and the proof.
#include "carve/carve.hpp"

#include "carve/input.hpp"
#include "carve/piece.hpp"
#include "geometry/triangle.hpp"
#include "hulls/certify.hpp"
#include "merge/merge.hpp"
#include "space/sphere_bins.hpp"
#include "tests/check.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::carve;
using namespace hitbox::internal::merge;

namespace {

// A frame of four bars around a square hole: a solid whose hull has the hole in it.
Mesh window() {
  Mesh mesh;
  for (const double z : {0.0, 0.1})
    for (const auto& [low, high] : {std::pair(0.0, 1.0), std::pair(0.3, 0.7)})
      for (const auto& [x, y] :
           {std::pair(low, low), std::pair(high, low), std::pair(high, high), std::pair(low, high)})
        mesh.vertices.push_back({x, y, z});
  const auto quad = [&](uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    mesh.indices.insert(mesh.indices.end(), {a, b, c, d});
    mesh.offsets.push_back(static_cast<uint32_t>(mesh.indices.size()));
  };
  for (uint32_t k = 0; k < 4; ++k) {
    const uint32_t next = (k + 1) % 4;
    quad(k, k + 4, next + 4, next);            // below: outer 0-3, inner 4-7
    quad(k + 8, next + 8, next + 12, k + 12);  // above
    quad(k, next, next + 8, k + 8);            // outside
    quad(k + 4, k + 12, next + 12, next + 4);  // inside the hole
  }
  return mesh;
}

std::vector<Vec3> random_points(Random& random, size_t count, double size) {
  std::vector<Vec3> points;
  for (size_t k = 0; k < count; ++k) points.push_back(tests::random_point(random, size));
  return points;
}

double distance_by_all_triangles(const PartHull& hull, const Vec3& p) {
  double least = Bounds::kInfinity;
  bool is_inside = true;
  for (const auto& [a, b, c] : hull.mesh.triangles) {
    const Vec3 &u = hull.mesh.vertices[a], &v = hull.mesh.vertices[b], &w = hull.mesh.vertices[c];
    least = std::min(least, distance_to_triangle(p, {u, v, w}));
    is_inside = is_inside && dot(cross(v - u, w - u), p - u) <= 0;
  }
  return is_inside ? 0 : least;
}

double area_of(const Piece& piece) {
  double twice = 0;
  for (size_t k = 0; k < piece.polygon_count(); ++k) {
    const auto polygon = piece.polygon(k);
    Vec3 normal;
    for (size_t c = 2; c < polygon.size(); ++c)
      normal += cross(piece.points[polygon[c - 1]] - piece.points[polygon[0]],
                      piece.points[polygon[c]] - piece.points[polygon[0]]);
    twice += norm(normal);
  }
  return twice / 2;
}

struct Prepared {
  Mesh mesh = window();
  Run run{1};
  TriangleBvh surface{mesh.view(), run};
  Input input = carve_input(mesh.view(), surface, 1e-4, run);
};

}  // namespace

TEST(carve_hulls_know_their_distances) {
  Random random(2);
  for (const size_t count : {5, 20, 400}) {
    PartHull plain = part_hull(random_points(random, count, 1), 0);
    PartHull planted = plain;
    planted.plant();
    CHECK((planted.tree != nullptr) == (plain.mesh.triangles.size() >= 48));
    size_t last[2] = {0, 0};
    for (int k = 0; k < 500; ++k) {
      const Vec3 p = tests::random_point(random, 2);
      const double expected = distance_by_all_triangles(plain, p);
      CHECK_NEAR(plain.distance(p), expected, 1e-9);
      CHECK_NEAR(planted.distance(p), expected, 1e-9);
      const double reach = random.uniform(0.01, 1.5);
      if (std::abs(expected - reach) < 1e-9) continue;
      CHECK(plain.is_within(p, reach, last[0]) == (expected < reach));
      CHECK(planted.is_within(p, reach, last[1]) == (expected < reach));
    }
  }
}

TEST(carve_flat_and_straight_parts_get_a_thickness) {
  for (const std::vector<Vec3>& points :
       {std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, std::vector<Vec3>{{0, 0, 0}, {1, 1, 1}},
        std::vector<Vec3>{{0.5, 0.5, 0.5}}}) {
    const PartHull hull = part_hull(points, 0.01);
    CHECK(hull.volume > 0);
    for (const Vec3& p : points) CHECK(hull.distance(p) == 0);
    for (const Vec3& v : hull.mesh.vertices) {
      double nearest = Bounds::kInfinity;
      for (const Vec3& p : points) nearest = std::min(nearest, norm(v - p));
      CHECK(nearest <= 0.01 * std::sqrt(3.0) + 1e-12);
    }
  }
}

TEST(carve_bins_of_spheres_miss_none) {
  Random random(3);
  std::vector<Sphere> spheres;
  for (int k = 0; k < 3000; ++k) spheres.push_back({tests::random_point(random, 1), random.uniform(0.001, 0.1)});
  const SphereBins bins(spheres);
  for (int k = 0; k < 200; ++k) {
    const Vec3 around = tests::random_point(random, 1);
    std::vector<Vec3> points = random_points(random, 12, random.uniform(0.001, 0.05));
    for (Vec3& p : points) p += around;
    PartHull hull = part_hull(points, 0);
    bool expected = false;
    for (const Sphere& s : spheres) expected = expected || hull.distance(s.center) < s.radius - SphereBins::kTouching;
    CHECK(bins.entered_by(hull) == expected);
    if (bins.is_seen_entered_by(hull)) CHECK(expected);
  }
}

TEST(carve_cuts_lose_nothing_and_find_what_is_inside) {
  Prepared p;
  CHECK(p.input.is_solid);
  CHECK(p.input.concave_edges.size() == 4);
  Random random(4);
  for (int k = 0; k < 30; ++k) {
    std::vector<Piece> pieces{whole(p.input)};
    const double area = area_of(pieces[0]);
    for (int step = 0; step < 4; ++step) {
      const Vec3 normal = normalized(tests::random_point(random, 1));
      const HalfSpace plane{normal, dot(normal, Vec3{0.5, 0.5, 0.05} + tests::random_point(random, 0.2))};
      std::vector<Piece> next;
      for (const Piece& piece : pieces)
        for (Piece& half : cut(piece, plane, p.input))
          if (half.polygon_count() > 0) next.push_back(std::move(half));
      pieces = std::move(next);
    }
    double sum = 0;
    for (const Piece& piece : pieces) {
      sum += area_of(piece);
      for (const Vec3& corner : piece.inside)
        CHECK(corner.z > 0 && corner.z < 0.1 && (std::abs(corner.x - 0.5) > 0.2 || std::abs(corner.y - 0.5) > 0.2));
    }
    CHECK_NEAR(sum, area, 1e-9);
  }
}

TEST(carve_the_proof_finds_a_hull_over_a_hole) {
  Prepared p;
  SpaceOptions options;
  options.radius = 0.1;
  options.tolerance.all = 0.02;
  const NavigableSpace space = navigable_space(p.mesh.view(), p.surface, options, p.run).value();
  const Clearance clearance(p.surface, options.tolerance, options.blockers);
  const PartHull over = part_hull(p.mesh.vertices, 0);
  const PartHull* hulls[] = {&over};
  const auto wrong = violations(hulls, space.reach, clearance, options.radius, 2e-4, 100, p.run);
  CHECK(!wrong.empty());
  for (const Violation& v : wrong) CHECK(over.distance(v.sphere.center) < v.sphere.radius);
  const PartHull bar = part_hull(
      std::vector<Vec3>{
          {0, 0, 0}, {1, 0, 0}, {1, 0.3, 0}, {0, 0.3, 0}, {0, 0, 0.1}, {1, 0, 0.1}, {1, 0.3, 0.1}, {0, 0.3, 0.1}},
      0);
  const PartHull* good[] = {&bar};
  CHECK(violations(good, space.reach, clearance, options.radius, 2e-4, 100, p.run).empty());
}

TEST(carve_a_window_is_four_parts_whose_hole_stays_open) {
  const Mesh mesh = window();
  Run run(2);
  CarveOptions options;
  options.space.radius = 0.1;
  options.space.tolerance.all = 0.02;
  for (const double effort : {0.0, 1.0}) {
    options.effort = effort;
    const Carved carved = carve(mesh.view(), options, run).value();
    CHECK(carved.shapes.size() == 4);
    CHECK(carved.is_proved && carved.depths.empty());
    for (const Shape& shape : carved.shapes) {
      const Vec3 middle{0.5, 0.5, 0.05};
      double distance = 0;
      signed_distance(shape, {&middle, 1}, {&distance, 1});
      CHECK(distance >= 0.2 - 0.02);
    }
  }
  options.most_parts = 1;
  const Carved forced = carve(mesh.view(), options, run).value();
  CHECK(forced.shapes.size() == 1 && forced.depths == std::vector{1.0});
}

TEST(merge_shapes_that_are_far_apart_stay_as_they_are) {
  const std::vector<Shape> shapes = {Sphere{{0, 0, 0}, 1}, Sphere{{5, 0, 0}, 1}, Sphere{{0.1, 0, 0}, 0.5}};
  Run run(1);
  MergeOptions options;
  options.tolerance = options.distance = 0.05;
  const MergedShapes merged = merge_shapes(shapes, options, run).value();
  CHECK(merged.shapes.size() == 2);
  CHECK((merged.from[0] == std::vector<uint32_t>{0, 2}));
  CHECK(std::get<Sphere>(merged.shapes[0]).radius == 1);
}
