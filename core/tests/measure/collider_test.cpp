// Samples on and in shapes, and queries of a collider's shapes.
#include "base/random.hpp"
#include "geometry/convex_hull.hpp"
#include "measure/collider_measure.hpp"
#include "measure/shape_facts.hpp"
#include "shapes/surface.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::measure;

namespace {

std::vector<Shape> one_of_each() {
  return {Box{{0, 0, 0}, {}, {1, 2, 3}},
          Sphere{{4, 0, 0}, 1.5},
          Capsule{{0, 5, 0}, {2, 6, 1}, 0.7},
          Capsule{{0, -5, 0}, {0, -5, 0}, 0.7},
          Cylinder{{-5, 0, 0}, {-5, 1, 2}, 0.8},
          Frustum{{0, 0, 8}, {1, 1, 9}, 1.2, 0.3},
          Frustum{{0, 0, -8}, {1, 0, -9}, 0, 1},
          Prism{{8, 8, 0}, {}, 1, 2, 0.5, 0},
          Hull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}}};
}

double distance_of(const Shape& shape, const Vec3& p) {
  double d = 0;
  signed_distance(shape, {&p, 1}, {&d, 1});
  return d;
}

}  // namespace

TEST(patches_and_wedges_add_up_to_the_shape) {
  for (const Shape& shape : one_of_each()) {
    double total = 0, filled = 0;
    for (const SurfacePatch& patch : surface_patches(shape)) total += patch.area;
    for (const Wedge& wedge : inner_wedges(shape)) filled += wedge.volume;
    CHECK_NEAR(total, area(shape), 1e-12 * area(shape));
    CHECK_NEAR(filled, volume(shape), 1e-12 * volume(shape));
  }
}

TEST(points_of_patches_are_on_the_shape_and_those_of_wedges_in_it) {
  Random random(3);
  for (const Shape& shape : one_of_each()) {
    for (const SurfacePatch& patch : surface_patches(shape))
      for (int k = 0; k < 200; ++k) {
        const SurfacePoint on = point_on(patch, random.uniform(), random.uniform());
        CHECK_NEAR(distance_of(shape, on.point), 0, 1e-12);
        CHECK_NEAR(distance_of(shape, on.point + on.normal * 1e-4), 1e-4, 1e-10);
      }
    for (const Wedge& wedge : inner_wedges(shape))
      for (int k = 0; k < 200; ++k)
        CHECK(distance_of(shape, point_in(wedge, random.uniform(), random.uniform(), random.uniform())) < 1e-12);
  }
}

// Their mean is that of the points of the bounding box inside the shape.
TEST(points_of_wedges_are_uniform) {
  for (const Shape& shape : one_of_each()) {
    Run run(1);
    const ShapeUnion alone({shape}, run);
    Random random(5);
    const Bounds box = bounds(shape);
    Vec3 sum, inside;
    double hits = 0, weight = 0;
    for (int k = 0; k < 40000; ++k) {
      const Vec3 s = box.size();
      const Vec3 p = box.low + Vec3{s.x * random.uniform(), s.y * random.uniform(), s.z * random.uniform()};
      if (distance_of(shape, p) > 0) continue;
      hits += 1;
      inside += p;
    }
    for (const Wedge& wedge : inner_wedges(shape)) {
      const int count = 1 + static_cast<int>(40000 * wedge.volume / volume(shape));
      for (int k = 0; k < count; ++k)
        sum += point_in(wedge, random.uniform(), random.uniform(), random.uniform()) * (wedge.volume / count);
      weight += wedge.volume;
    }
    CHECK(norm(inside / hits - sum / weight) < 0.03 * box.diagonal());
  }
}

TEST(samples_do_not_depend_on_threads_and_hidden_ones_are_inside_others) {
  std::vector<Shape> shapes = one_of_each();
  shapes.push_back(Sphere{{0, 0, 0}, 2.5});
  Run one(1), three(3);
  const ShapeUnion collider(shapes, one);
  const ColliderSamples a = sample_surfaces(collider, 20000, 9, one), b = sample_surfaces(collider, 20000, 9, three);
  CHECK(a.points == b.points && a.normals == b.normals && a.owners == b.owners);
  const std::vector<uint8_t> hidden = hidden_samples(collider, a, 0.01, three);
  size_t count = 0;
  for (size_t k = 0; k < hidden.size(); ++k) {
    double nearest = 1e300;
    for (size_t s = 0; s < shapes.size(); ++s)
      if (s != a.owners[k]) nearest = std::min(nearest, distance_of(shapes[s], a.points[k] + a.normals[k] * 0.01));
    CHECK(hidden[k] == (nearest < 0) || std::abs(nearest) < 1e-12);
    count += hidden[k];
  }
  CHECK(count > 1000);
}

TEST(union_volume_of_boxes) {
  Run run(2);
  const ShapeUnion apart({Box{{0, 0, 0}, {}, {1, 1, 1}}, Box{{5, 0, 0}, {}, {1, 1, 1}}}, run);
  const UnionVolume exact = union_volume(apart, 1000, 1, run);
  CHECK_NEAR(exact.value, 16, 1e-12);
  CHECK(exact.error == 0);
  const ShapeUnion twice({Box{{0, 0, 0}, {}, {1, 1, 1}}, Box{{1, 0, 0}, {}, {1, 1, 1}}}, run);
  const UnionVolume found = union_volume(twice, 100000, 1, run);
  CHECK_NEAR(found.value, 12, 2 * found.error);
  CHECK(found.error < 0.05 && found.total == 16);
}

TEST(flat_hulls_have_no_inside_but_a_distance) {
  const Hull flat{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 1}}};
  Run run(1);
  const ShapeUnion collider({flat, Sphere{{9, 0, 0}, 1}}, run);
  CHECK(collider.count_around({0.2, 0.2, 0}, 1, 9) == 0);
  CHECK_NEAR(collider.distance({0.2, 0.2, 0.5}), 0.5, 1e-12);
  CHECK(union_volume(collider, 100, 0, run).value > 4);
  CHECK(collider.facts()[0].smallest_extent == 0 && collider.facts()[0].corners == 3);
}

TEST(a_hull_of_many_facets_answers_as_its_planes_do) {
  Random random(11);
  std::vector<Vec3> points;
  for (int k = 0; k < 400; ++k) {  // a thin lens: sharp at its rim
    const Vec3 p = normalized({random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)});
    points.push_back({p.x, p.y, 0.05 * p.z});
  }
  Result<ConvexHull> found = convex_hull(points);
  const TriangleMesh& mesh = found.value().mesh;
  CHECK(mesh.triangles.size() > 256);
  const Hull hull{mesh.vertices, mesh.triangles};
  Run run(1);
  const ShapeUnion lens({hull}, run);
  for (int k = 0; k < 20000; ++k) {
    const Vec3 p{random.uniform(-1.2, 1.2), random.uniform(-1.2, 1.2), random.uniform(-0.1, 0.1)};
    double exact = 0;
    signed_distance(Shape{hull}, {&p, 1}, {&exact, 1});
    CHECK_NEAR(lens.distance(p), std::max(exact, 0.0), 1e-12);
    CHECK(lens.contains(p, Bvh::kNone, 0) == (exact < 0));
  }
}
