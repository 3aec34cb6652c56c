#include "measure/certify.hpp"

#include "base/random.hpp"
#include "measure/distance.hpp"
#include "measure/patches.hpp"
#include "measure/shape_union.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::measure;

namespace {

struct Polygons {
  std::vector<Vec3> vertices;
  std::vector<uint32_t> indices, offsets{0};
  MeshView view() const { return {vertices, indices, offsets}; }
};

Polygons polygons_of(const Shape& shape, int segments) {
  const TriangleMesh mesh = to_mesh(shape, segments);
  Polygons result{mesh.vertices, {}, {0}};
  for (const Triangle& t : mesh.triangles) {
    result.indices.insert(result.indices.end(), t.begin(), t.end());
    result.offsets.push_back(static_cast<uint32_t>(result.indices.size()));
  }
  return result;
}

Box box(const Vec3& center, const Vec3& half) { return {center, {0, 0, 0, 1}, half}; }
const Box kCube = box({0, 0, 0}, {0.5, 0.5, 0.5});
const double kDiagonal = std::sqrt(3.0);
constexpr double kOffset = 1e-3;

Certificate certified(const Polygons& mesh, const std::vector<Shape>& shapes, double resolution = 1e-3,
                      unsigned threads = 1) {
  Run run(threads);
  return certify(mesh.view(), ShapeUnion(shapes, run), {kOffset, resolution, 400'000}, run);
}

void check_tight(const Interval& found, double truth, double resolution) {
  CHECK(found.low <= truth && truth <= found.high);
  CHECK(found.high - found.low <= resolution);
}

std::vector<Shape> one_of_each() {
  const Quaternion turn{0.1, 0.7, -0.1, 0.7};
  return {Box{{1, 2, 3}, turn, {0.5, 0.2, 0.9}},     Sphere{{-1, 0.5, 2}, 0.7},
          Capsule{{0, 0, 1}, {1, 2, 0.5}, 0.4},      Cylinder{{0, 1, 0}, {0.5, -1, 0.3}, 0.6},
          Frustum{{0, 0, 0}, {0, 0.3, 2}, 0.9, 0.2}, Frustum{{1, 0, 0}, {0, 0.3, 2}, 0, 0.8},
          Prism{{0, 1, 0}, turn, 0.3, 0.8, 0.1, 0.6}};
}

}  // namespace

TEST(patches_cover_their_surface_and_their_hulls_hold_them) {
  for (const Shape& shape : one_of_each()) {
    const Surfaces surfaces({&shape, 1});
    std::vector<Patch> patches(surfaces.patches().begin(), surfaces.patches().end());
    for (int depth = 0; depth < 5; ++depth) {
      double whole = 0;
      std::vector<Patch> halves;
      for (const Patch& patch : patches) {
        const PatchHull hull = surfaces.hull_of(patch);
        double off, weights = 0, reach = 0, mean = 0;
        signed_distance(shape, {&hull.center, 1}, {&off, 1});
        CHECK_NEAR(off, 0, 1e-12);
        whole += hull.area;
        for (int k = 0; k < hull.count; ++k) {
          const auto at = static_cast<size_t>(k);
          weights += hull.weights[at];
          CHECK(hull.weights[at] >= 0);
          mean += hull.weights[at] * norm(hull.points[at] - hull.center);
          reach = std::max(reach, norm(hull.points[at] - hull.center));
        }
        CHECK_NEAR(weights, 1, 1e-9);
        // The patch's points, by halving, are within the hull's bounds, and on average within mean_reach.
        std::vector<Patch> small{patch};
        for (int d = 0; d < 6; ++d) {
          std::vector<Patch> next;
          for (const Patch& p : small)
            for (const Patch& half : surfaces.halves_of(p)) next.push_back(half);
          small = std::move(next);
        }
        double area_sum = 0, moment = 0;
        for (const Patch& p : small) {
          const PatchHull part = surfaces.hull_of(p);
          area_sum += part.area;
          moment += part.area * norm(part.center - hull.center);
          CHECK(norm(part.center - hull.center) <= reach * (1 + 1e-12));
        }
        CHECK_NEAR(area_sum, hull.area, 1e-9);
        CHECK(moment <= area_sum * hull.mean_reach * (1 + 1e-9) + 1e-15);
        CHECK(moment <= area_sum * mean * (1 + 1e-9) + 1e-15);
        const auto two = surfaces.halves_of(patch);
        halves.insert(halves.end(), two.begin(), two.end());
      }
      CHECK_NEAR(whole, area(shape), 1e-9 * area(shape));
      patches = std::move(halves);
      if (patches.size() > 100) break;
    }
  }
}

TEST(moved_patches_lie_on_the_moved_surface) {
  for (const Shape& shape : one_of_each()) {
    const Surfaces surfaces({&shape, 1});
    for (const Patch& patch : surfaces.patches()) {
      const PatchHull moved = surfaces.hull_of(patch, 0.05);
      double off;
      signed_distance(shape, {&moved.center, 1}, {&off, 1});
      CHECK_NEAR(off, 0.05, 1e-9);
    }
  }
}

TEST(a_sphere_around_a_cube) {
  const Certificate found = certified(polygons_of(kCube, 3), {Sphere{{0, 0, 0}, std::sqrt(0.75)}});
  check_tight(found.all_surfaces, (std::sqrt(0.75) - 0.5) / kDiagonal, 1e-3);
  check_tight(found.outer_surface, (std::sqrt(0.75) - 0.5) / kDiagonal, 1e-3);
  CHECK(found.sticks_out.high < 1e-8 && found.complete);
}

TEST(a_box_around_a_cube_at_a_constant_gap) {
  const Certificate found = certified(polygons_of(kCube, 3), {box({0, 0, 0}, {0.6, 0.6, 0.6})});
  check_tight(found.all_surfaces, 0.1, 1e-3);  // sqrt(3) 0.1 of sqrt(3)
  // Faces: a square of 1 x 1 at 0.1; edges and corners: integrals by the midpoint rule.
  double sum = 0;
  const int n = 400;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double x = std::max(0.0, std::abs((i + 0.5) / n * 1.2 - 0.6) - 0.5);
      const double y = std::max(0.0, std::abs((j + 0.5) / n * 1.2 - 0.6) - 0.5);
      sum += std::sqrt(x * x + y * y + 0.01);
    }
  check_tight(found.mean_all, sum / (n * n) / kDiagonal, kMeanResolution * 1e-3);
  CHECK(found.complete);
}

TEST(a_lid_that_sticks_out) {
  Polygons mesh = polygons_of(kCube, 3);
  for (Vec3& v : mesh.vertices)
    if (v.z > 0) v.z += 0.25;
  const double diagonal = std::sqrt(2 + 1.25 * 1.25);
  const Certificate found = certified(mesh, {kCube});
  check_tight(found.sticks_out, 0.25 / diagonal, 1e-3);
  check_tight(found.all_surfaces, 0.25 / diagonal, 1e-3);  // the cube's top, inside the solid
  CHECK(found.outer_surface.high <= 1e-3 + 1e-8);          // but nothing can touch that
  CHECK(found.complete);
}

TEST(a_face_between_two_shapes_sticks_out_in_its_middle) {
  Polygons plate{{{-1, 0, 0}, {1, 0, 0}, {0, 1e-3, 0}}, {0, 1, 2}, {0, 3}};
  const std::vector<Shape> two{Sphere{{-1, 0, 0}, 0.75}, Sphere{{1, 0, 0}, 0.75}};
  const Certificate found = certified(plate, two);
  // The tip is farthest from both centres.
  check_tight(found.sticks_out, (std::sqrt(1 + 1e-6) - 0.75) / plate.view().vertices[0].x / -2, 1e-3);
}

TEST(what_another_shape_hides_is_not_outer) {
  // The far side of a small box lies deep in a large one. The input is a thin open strip between them.
  const Polygons strip{{{-2, -1, 0}, {-2, 1, 0}, {-2, 0, 1}}, {0, 1, 2}, {0, 3}};
  const double diagonal = std::sqrt(5.0);
  const std::vector<Shape> shapes{box({-1, 0, 0}, {1, 1, 1}), box({-1, 0, 0}, {1.5, 2, 2})};
  const Certificate found = certified(strip, shapes);
  Run run(1);
  const ShapeUnion both({shapes.begin(), shapes.end()}, run);
  // By brute force over samples of both boxes.
  double all = 0, outer = 0;
  for (uint32_t k = 0; k < 2; ++k) {
    const TriangleMesh mesh = to_mesh(shapes[k], 3);
    const SurfaceSamples samples = sample_surface(mesh.vertices, mesh.triangles, 40000, 1);
    const MeshDistances distances = distances_to_mesh(samples.points, strip.view(), run);
    const double largest = *std::max_element(distances.distances.begin(), distances.distances.end());
    all = std::max(all, largest / diagonal);
    if (k == 1) outer = largest / diagonal;  // the small box is completely hidden
  }
  CHECK(found.all_surfaces.low >= all - 2e-3 && found.all_surfaces.high >= all);
  CHECK(found.outer_surface.low >= outer - 2e-3 && found.outer_surface.high >= outer);
  CHECK(found.outer_surface.high <= outer + 0.02);
  const Certificate alone = certified(strip, {shapes[0]});
  const Certificate hidden = certified(strip, {shapes[0], box({-1, 0, 0}, {1.0004, 1.0004, 1.0004})});
  CHECK(alone.outer_surface.high < found.outer_surface.low);
  // 0.001 of the diagonal is beyond the second box, so both count.
  check_tight(hidden.outer_surface, std::sqrt(5 + 0.0004 * (2 * 2.0 + 2 * 1 + 0 + 3 * 0.0004)) / diagonal, 2e-3);
}

TEST(samples_lie_within_the_bounds_and_threads_do_not_matter) {
  const std::vector<Shape> shapes = one_of_each();
  Polygons mesh = polygons_of(Capsule{{0, 0, 0}, {1, 1, 1}, 1}, 40);
  const Certificate one = certified(mesh, shapes, 5e-3), three = certified(mesh, shapes, 5e-3, 3);
  for (const auto of :
       {&Certificate::all_surfaces, &Certificate::mean_all, &Certificate::outer_surface, &Certificate::sticks_out})
    CHECK((one.*of).low == (three.*of).low && (one.*of).high == (three.*of).high);
  CHECK(one.patches == three.patches && one.complete);

  Run run(1);
  const double diagonal = referenced_bounds(mesh.view()).diagonal();
  double largest = 0, sum = 0, weight = 0;
  for (const Shape& shape : shapes) {
    const TriangleMesh fine = to_mesh(shape, 200);
    const SurfaceSamples samples = sample_surface(fine.vertices, fine.triangles, 20000, 1);
    const MeshDistances distances = distances_to_mesh(samples.points, mesh.view(), run);
    for (const double d : distances.distances) {
      largest = std::max(largest, d / diagonal);
      sum += d / diagonal * area(shape);
    }
    weight += area(shape) * 20000;
  }
  CHECK(largest <= one.all_surfaces.high + 1e-3 && largest >= one.all_surfaces.low - 1e-2);
  CHECK(sum / weight <= one.mean_all.high + 1e-3 && sum / weight >= one.mean_all.low - 1e-3);
}

// Far from the origin rounding alone may exceed the requested resolution, which the result must report.
TEST(complete_means_as_narrow_as_asked_wherever_it_lies) {
  for (const double away : {0.0, 1e3, 1e5, 1e7}) {
    const Vec3 center{away, 0, 0};
    const Polygons mesh = polygons_of(box(center, kCube.half_extents), 3);
    const Certificate found = certified(mesh, {Sphere{center, 1}});
    CHECK(found.complete == (away < 1e6));
    const double truth = 0.5 / kDiagonal;
    CHECK(found.all_surfaces.low <= truth && truth <= found.all_surfaces.high);
    for (const Interval& pair : {found.all_surfaces, found.outer_surface, found.sticks_out})
      CHECK(!found.complete || pair.high - pair.low <= 1e-3);
  }
}

TEST(a_small_budget_gives_an_honest_interval) {
  const Polygons mesh = polygons_of(kCube, 3);
  Run run(1);
  const std::vector<Shape> shapes{Sphere{{0, 0, 0}, std::sqrt(0.75)}};
  const Certificate found = certify(mesh.view(), ShapeUnion(shapes, run), {kOffset, 1e-4, 40}, run);
  const double truth = (std::sqrt(0.75) - 0.5) / kDiagonal;
  CHECK(!found.complete);
  CHECK(found.all_surfaces.low <= truth && truth <= found.all_surfaces.high);
  CHECK(found.patches <= 8 + 40 + 12 + 40);
}
