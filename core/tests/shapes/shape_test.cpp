// Compares the seven shapes with oracles that share no code with them: a convex set is determined by its support
// function h, and its signed distance at p is the largest n.p - h(n) over unit vectors n.
#include <map>

#include "base/random.hpp"
#include "hitbox/shapes.hpp"
#include "shapes/surface.hpp"
#include "tests/check.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::shapes;
using namespace hitbox::tests;

namespace {

template <class Body>
void for_random_shapes(int count, Body&& body) {
  Random random(7);
  for (int kind = 0; kind < kKindCount; ++kind)
    for (int k = 0; k < count; ++k) body(random_shape(random, static_cast<Kind>(kind)), random);
}

double distance_at(const Shape& shape, const Vec3& p) {
  double d = 0;
  signed_distance(shape, {&p, 1}, {&d, 1});
  return d;
}

double reach(const Shape& shape, const Vec3& n) {
  Vec3 p;
  support(shape, {&n, 1}, {&p, 1});
  return dot(p, n);
}

Vec3 normal_of(const TriangleMesh& mesh, const std::array<uint32_t, 3>& t) {
  const Vec3& a = mesh.vertices[t[0]];
  return normalized(cross(mesh.vertices[t[1]] - a, mesh.vertices[t[2]] - a));
}

// The maximum over n of n.p - h(n): starts at the best of many random directions, the normals of a mesh of the shape
// (inside there is one maximum per facet) and the gradient of the distance itself, and climbs from there.
double distance_by_support(const Shape& shape, const Vec3& p, Random& random) {
  Vec3 best_n{1, 0, 0};
  double best = -1e300;
  const auto try_direction = [&](const Vec3& n) {
    const double d = dot(n, p) - reach(shape, n);
    if (d <= best) return false;
    best = d;
    best_n = n;
    return true;
  };
  for (int k = 0; k < 300; ++k) try_direction(random_direction(random));
  const TriangleMesh mesh = to_mesh(shape, 24);
  for (const auto& t : mesh.triangles) try_direction(normal_of(mesh, t));
  const double e = 1e-6;
  const auto slope = [&](const Vec3& d) { return distance_at(shape, p + d) - distance_at(shape, p - d); };
  try_direction(normalized({slope({e, 0, 0}), slope({0, e, 0}), slope({0, 0, e})}));
  for (double step = 0.5; step > 1e-7; step *= 0.8)
    for (int k = 0; k < 12; ++k) try_direction(normalized(best_n + random_direction(random) * step));
  return best;
}

bool is_closed(const TriangleMesh& mesh) {
  std::map<std::pair<uint32_t, uint32_t>, int> sides;
  for (const auto& t : mesh.triangles)
    for (size_t k = 0; k < 3; ++k) ++sides[{t[k], t[(k + 1) % 3]}];
  for (const auto& [side, count] : sides) {
    const auto twin = sides.find({side.second, side.first});
    if (count != 1 || twin == sides.end() || twin->second != 1) return false;
  }
  return !mesh.triangles.empty();
}

double volume_of(const TriangleMesh& mesh) {
  double sum = 0;
  for (const auto& t : mesh.triangles)
    sum += dot(mesh.vertices[t[0]], cross(mesh.vertices[t[1]], mesh.vertices[t[2]])) / 6;
  return sum;
}

}  // namespace

TEST(signed_distance_is_exact) {
  for_random_shapes(12, [](const Shape& shape, Random& random) {
    for (int k = 0; k < 25; ++k) {
      const Vec3 p = random_point(random, k % 2 ? 1 : 3);
      const double oracle = distance_by_support(shape, p, random);
      CHECK(distance_at(shape, p) >= oracle - 1e-12);
      CHECK_NEAR(distance_at(shape, p), oracle, 2e-6);
    }
  });
}

// The nearest point lies in the shape, at the distance that `signed_distance` gives.
TEST(nearest_is_a_point_of_the_shape_at_the_distance) {
  for_random_shapes(40, [](const Shape& shape, Random& random) {
    for (int k = 0; k < 40; ++k) {
      const Vec3 p = random_point(random, k % 2 ? 1 : 3), q = nearest(shape, p);
      const double distance = distance_at(shape, p);
      if (distance <= 0) {
        CHECK(q == p);
      } else {
        CHECK_NEAR(norm(p - q), distance, 1e-12);
        CHECK(distance_at(shape, q) <= 1e-12);
      }
    }
  });
}

TEST(volume_area_and_curvature_obey_steiner) {
  for_random_shapes(3, [](const Shape& shape, Random& random) {
    const double c = 0.5;
    Bounds box = bounds(shape);
    box.grow(c);
    const int count = 100000;
    int inside = 0, within = 0;
    for (int k = 0; k < count; ++k) {
      const Vec3 u{random.uniform(), random.uniform(), random.uniform()}, s = box.size();
      const double d = distance_at(shape, box.low + Vec3{u.x * s.x, u.y * s.y, u.z * s.z});
      inside += d <= 0;
      within += d <= c;
    }
    const auto counted = [&](int n) { return box.volume() * n / count; };
    const auto sigma = [&](int n) { return box.volume() * std::sqrt(n * (1.0 - 1.0 * n / count)) / count; };
    const double v = volume(shape);
    const double grown_v = v + area(shape) * c + mean_curvature(shape) * c * c + 4.0 / 3 * kPi * c * c * c;
    CHECK_NEAR(counted(inside), v, 4.5 * sigma(inside) + 1e-3);
    CHECK_NEAR(counted(within), grown_v, 4.5 * sigma(within));
  });
}

TEST(area_is_the_derivative_of_volume) {
  for_random_shapes(10, [](const Shape& shape, Random&) {
    const TriangleMesh mesh = to_mesh(shape, 1000);
    double sum = 0;
    for (const auto& t : mesh.triangles)
      sum += norm(cross(mesh.vertices[t[1]] - mesh.vertices[t[0]], mesh.vertices[t[2]] - mesh.vertices[t[0]])) / 2;
    CHECK_NEAR(sum, area(shape), 2e-5 * area(shape));
    CHECK_NEAR(volume_of(mesh), volume(shape), 2e-5 * volume(shape));
    CHECK(volume_of(mesh) >= volume(shape) * (1 - 1e-12));
  });
}

TEST(bounds_are_tight) {
  for_random_shapes(30, [](const Shape& shape, Random&) {
    const Bounds box = bounds(shape);
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 n;
      n[axis] = 1;
      CHECK_NEAR(box.high[axis], reach(shape, n), 1e-12);
      CHECK_NEAR(box.low[axis], -reach(shape, -n), 1e-12);
    }
  });
}

TEST(support_lies_on_the_surface_and_is_furthest) {
  for_random_shapes(20, [](const Shape& shape, Random& random) {
    const TriangleMesh mesh = to_mesh(shape, 3);
    for (int k = 0; k < 50; ++k) {
      const Vec3 n = random_direction(random);
      Vec3 p;
      support(shape, {&n, 1}, {&p, 1});
      CHECK_NEAR(distance_at(shape, p), 0, 1e-12);
      CHECK_NEAR(distance_at(shape, p + n * 0.3), 0.3, 1e-12);
      double furthest = -1e300;
      for (const Vec3& v : mesh.vertices) furthest = std::max(furthest, dot(v, n));
      CHECK(furthest >= dot(p, n) - 1e-12);  // the mesh encloses the shape
    }
  });
}

TEST(meshes_are_closed_and_every_facet_touches_the_shape_from_outside) {
  for_random_shapes(10, [](const Shape& shape, Random&) {
    for (int segments : {3, 4, 7, 24}) {
      const TriangleMesh mesh = to_mesh(shape, segments);
      CHECK(is_closed(mesh));
      for (const auto& t : mesh.triangles) {
        const Vec3 n = normal_of(mesh, t);
        CHECK_NEAR(reach(shape, n), dot(n, mesh.vertices[t[0]]), 1e-9);
      }
    }
  });
}

TEST(a_grown_shape_holds_everything_near) {
  for_random_shapes(20, [](const Shape& shape, Random& random) {
    for (double by : {0.0, 1e-9, 0.1, 2.0}) {
      const Shape larger = grown(shape, by);
      CHECK(kind_of(larger) == kind_of(shape));
      for (int k = 0; k < 100; ++k) {
        const Vec3 n = random_direction(random);
        CHECK(reach(larger, n) >= reach(shape, n) + by - 1e-12);
      }
    }
  });
}

TEST(what_is_near_the_surface_of_a_shape_is_inside_the_grown_one) {
  for_random_shapes(20, [](const Shape& shape, Random& random) {
    for (double by : {1e-9, 0.1, 2.0}) {
      const Shape larger = grown(shape, by);
      for (const SurfacePatch& patch : surface_patches(shape))
        for (int k = 0; k < 20; ++k) {
          const Vec3 p = point_on(patch, random.uniform(), random.uniform()).point;
          CHECK(distance_at(larger, p + random_direction(random) * by) <= 1e-12);
        }
    }
  });
}

TEST(a_grown_hull_has_no_more_vertices_than_before) {
  for_random_shapes(40, [](const Shape& shape, Random&) {
    if (kind_of(shape) != Kind::hull) return;
    for (double by : {1e-9, 0.1, 2.0}) {
      const Hull &hull = std::get<Hull>(shape), larger = std::get<Hull>(grown(shape, by));
      CHECK(larger.vertices.size() <= hull.vertices.size());
    }
  });
}

TEST(growing_a_long_hull_does_not_make_it_longer_than_it_has_to_be) {
  const TriangleMesh plank = to_mesh(Box{{0, 0, 0}, {}, {10, 1, 0.1}}, 0);
  const Shape larger = grown(Hull{plank.vertices, plank.triangles}, 0.1);
  CHECK_NEAR(volume(larger), 8 * 10.1 * 1.1 * 0.2, 1e-9);
}

TEST(a_shrunk_shape_and_a_margin_stay_inside_and_reach_every_side) {
  for_random_shapes(40, [](const Shape& shape, Random& random) {
    const double by = 0.03, least = 1e-3;  // half extents are at least 0.1
    const Shape inner = shrunk(shape, by, least);
    CHECK(kind_of(inner) == kind_of(shape));
    CHECK(volume(inner) > 0);
    for (const SurfacePatch& patch : surface_patches(inner))
      for (int k = 0; k < 20; ++k) {
        const Vec3 p = point_on(patch, random.uniform(), random.uniform()).point;
        CHECK(distance_at(shape, p) <= -by + 1e-9);
      }
    // Along the normal of each facet, the margin's surface has the position of the original facet.
    const TriangleMesh mesh = to_mesh(shape, 24);
    for (const auto& t : mesh.triangles) {
      const Vec3 n = normal_of(mesh, t);
      const double area =
          norm(cross(mesh.vertices[t[1]] - mesh.vertices[t[0]], mesh.vertices[t[2]] - mesh.vertices[t[0]]));
      if (area > 0.05) CHECK_NEAR(reach(inner, n) + by, reach(shape, n), 0.02);
    }
  });
}

TEST(a_box_shrunk_and_dilated_misses_its_corners_by_no_more_than_promised) {
  Random random(2);
  for (int k = 0; k < 50; ++k) {
    const Shape box = random_shape(random, Kind::box);
    const double by = 0.05;
    const Shape inner = shrunk(box, by, 1e-3);
    for (const Vec3& corner : to_mesh(box, 3).vertices)
      CHECK_NEAR(distance_at(inner, corner) - by, (std::sqrt(3) - 1) * by, 1e-12);
    for (const Kind kind : {Kind::sphere, Kind::capsule}) {  // nothing is missed
      const Shape round = random_shape(random, kind);
      const Vec3 n = random_direction(random);
      CHECK_NEAR(reach(shrunk(round, by, 1e-3), n) + by, reach(round, n), 1e-12);
    }
  }
}

TEST(no_shape_shrinks_to_less_than_the_least_thickness) {
  for_random_shapes(40, [](const Shape& shape, Random& random) {
    for (double by : {0.2, 1.0, 50.0})
      for (double least : {1e-3, 0.3}) {
        const Shape inner = shrunk(shape, by, least);
        CHECK(volume(inner) > 0);
        for (const Vec3& v : to_mesh(inner, 24).vertices)  // the mesh of a round shape lies slightly outside
          CHECK(distance_at(shape, v) <= 0.02);
        for (int k = 0; k < 20; ++k) {
          const Vec3 n = random_direction(random);
          const double was = reach(shape, n) + reach(shape, -n), is = reach(inner, n) + reach(inner, -n);
          CHECK(is <= was + 1e-9);
          CHECK(is >= std::min(was, least) * 0.2);
        }
      }
  });
  const Shape plate = Box{{0, 0, 0}, {}, {5, 5, 0.01}};
  const Box thin = std::get<Box>(shrunk(plate, 1, 0.02));  // already thinner than that
  CHECK(thin.half_extents == (Vec3{4, 4, 0.01}));
  CHECK(std::get<Box>(shrunk(plate, 1, 0.001)).half_extents == (Vec3{4, 4, 0.001}));
  CHECK_NEAR(volume(padded(plate, 1, 0)), 8 * 6 * 6 * 1.01, 1e-9);
  CHECK_NEAR(volume(padded(plate, -1, 0.001)), 8 * 4 * 4 * 0.001, 1e-9);
}

TEST(growing_a_flat_cone_does_not_make_it_huge) {
  const Shape flat = Frustum{{0, 0, 0}, {0, 0, 1e-6}, 1, 0.2};
  CHECK(bounds(grown(flat, 0.01)).diagonal() < 3);
  const Shape wedge = Prism{{0, 0, 0}, {}, 1, 1e-6, 0, 1};
  CHECK(bounds(grown(wedge, 0.01)).diagonal() < 4);
}

TEST(transforming_a_shape_transforms_its_points) {
  for_random_shapes(20, [](const Shape& shape, Random& random) {
    const Similarity similarity{random_rotation(random), random_point(random, 2), random.uniform(0.1, 3)};
    const Shape moved = transformed(shape, similarity);
    CHECK_NEAR(volume(moved), volume(shape) * std::pow(similarity.scale, 3), 1e-10);
    for (int k = 0; k < 50; ++k) {
      const Vec3 p = random_point(random, 2);
      CHECK_NEAR(distance_at(moved, similarity.apply(p)), distance_at(shape, p) * similarity.scale, 1e-12);
    }
  });
}

TEST(shapes_without_size_still_have_a_distance) {
  const Vec3 o{0, 0, 0}, far{3, 4, 0};
  CHECK_NEAR(distance_at(Box{o, {}, o}, far), 5, 1e-15);
  CHECK_NEAR(distance_at(Sphere{o, 0}, far), 5, 1e-15);
  CHECK_NEAR(distance_at(Capsule{o, o, 0}, far), 5, 1e-15);
  CHECK_NEAR(distance_at(Cylinder{o, o, 1}, far), 4, 1e-15);
  CHECK_NEAR(distance_at(Frustum{o, o, 1, 2}, far), 3, 1e-15);
  CHECK_NEAR(distance_at(Frustum{o, o, 0, 0}, far), 5, 1e-15);
  CHECK_NEAR(distance_at(Prism{o, {}, 0, 0, 0, 4}, {3, 0, 8}), 5, 1e-15);
  const Hull sheet{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {2, 1, 0}}};
  CHECK_NEAR(distance_at(sheet, {0.2, 0.2, -0.5}), 0.5, 1e-15);
  CHECK_NEAR(distance_at(sheet, {-3, 0, 4}), 5, 1e-15);
  CHECK_NEAR(distance_at(sheet, {0.2, 0.2, 0}), 0, 1e-15);
  const Shape thick = grown(sheet, 0.1);
  CHECK(distance_at(thick, {0.2, 0.2, 0.1}) <= 1e-15);
}

TEST(bytes_are_those_of_the_paper) {
  Random random(3);
  const size_t expected[] = {40, 16, 28, 28, 32, 44};
  for (int kind = 0; kind < 6; ++kind) CHECK(nbytes(random_shape(random, static_cast<Kind>(kind))) == expected[kind]);
  CHECK(nbytes(Hull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}}) == 72);
}
