// Public measurements against closed forms.
#include "tests/api/inputs.hpp"

using namespace hitbox;
using namespace hitbox::tests;

namespace {

const Mesh kCube = box_mesh({{-1, -1, -1}, {1, 1, 1}});
const double kDiagonal = std::sqrt(12.0);

Evaluation evaluated(const std::vector<Shape>& shapes, const EvaluateOptions& options = {.samples = 20'000}) {
  Run run(2);
  return *evaluate(kCube, shapes, options, run);
}

}  // namespace

TEST(a_collider_that_is_the_mesh_has_no_distance) {
  const Evaluation found = evaluated({Box{{0, 0, 0}, {}, {1, 1, 1}}});
  CHECK_NEAR(found.diagonal, kDiagonal, 1e-12);
  CHECK(found.all_surfaces.samples == 20'000);
  CHECK(found.all_surfaces.hausdorff < 1e-12 && found.outer_surface.hausdorff < 1e-12);
  CHECK(found.coverage.outside == 0 && found.coverage.largest == 0 && found.coverage.mean == 0);
  CHECK_NEAR(found.volume, 8, 1e-9);
  CHECK_NEAR(found.union_volume.value, 8, 1e-9);
  CHECK(found.overlap == 0 && found.thin.empty() && found.degenerate.empty() && !found.bounds);
  CHECK(found.nbytes == nbytes(Shape(Box{})));
}

TEST(a_larger_and_a_smaller_box_have_the_distances_of_the_formula) {
  const Evaluation larger = evaluated({Box{{0, 0, 0}, {}, {2, 2, 2}}});
  const double corner = std::sqrt(3.0) / kDiagonal;  // from (2, 2, 2) to (1, 1, 1)
  CHECK(larger.outer_surface.hausdorff <= corner && larger.outer_surface.hausdorff > 0.9 * corner);
  // The mean over a side of half extent 2 in closed form needs the middle, four edges and four corners; by a grid:
  double sum = 0;
  for (int i = 0; i < 400; ++i)
    for (int j = 0; j < 400; ++j) {
      const Vec3 p{2, (i + 0.5) / 100 - 2, (j + 0.5) / 100 - 2};
      sum += norm(max(abs(p) - Vec3{1, 1, 1}, Vec3{0, 0, 0}));
    }
  CHECK_NEAR(larger.all_surfaces.mean * kDiagonal, sum / 160'000, 5e-3);
  const Evaluation smaller = evaluated({Box{{0, 0, 0}, {}, {0.5, 0.5, 0.5}}});
  CHECK_NEAR(smaller.all_surfaces.mean, 0.5 / kDiagonal, 1e-12);
  CHECK(smaller.outer_surface.samples == 0);  // all of it is inside the closed cube
  CHECK(smaller.coverage.outside == 1);
  CHECK(smaller.coverage.largest <= std::sqrt(0.75) / kDiagonal && smaller.coverage.largest > 0.2);
}

TEST(a_shape_inside_another_is_no_boundary_and_counts_once) {
  const Evaluation found = evaluated({Box{{0, 0, 0}, {}, {1, 1, 1}}, Sphere{{0, 0, 0}, 0.5}});
  const double sphere = 4 * kPi / 3 / 8;
  CHECK(found.union_boundary.samples < found.all_surfaces.samples);
  CHECK(found.union_boundary.hausdorff < 1e-12 && found.all_surfaces.hausdorff > 0.1);
  CHECK_NEAR(found.volume, 8 + sphere, 1e-9);
  CHECK_NEAR(found.union_volume.value, 8, 4 * found.union_volume.error + 1e-9);
  CHECK_NEAR(found.overlap, sphere / (8 + sphere), 0.01);
}

TEST(thin_shapes_are_listed) {
  const Evaluation found =
      evaluated({Box{{0, 0, 0}, {}, {1, 1, 1}}, Box{{0, 0, 0}, {}, {1, 1, 1e-3}}, Box{{0, 0, 0}, {}, {1, 1, 1e-6}}});
  CHECK((found.thin == std::vector<uint32_t>{1, 2}));
  CHECK((found.degenerate == std::vector<uint32_t>{2}));
}

TEST(proved_bounds_hold_the_true_values) {
  const Evaluation found = evaluated({Sphere{{0, 0, 0}, 2}}, {.samples = 5'000, .certify = true});
  const auto holds = [](const Evaluation::Range& range, double truth) {
    return range.low <= truth && truth <= range.high && range.high - range.low < 0.01;
  };
  CHECK(found.bounds->complete);
  CHECK(holds(found.bounds->all_surfaces, 1 / kDiagonal));  // over the middle of a side
  CHECK(holds(found.bounds->outer_surface, 1 / kDiagonal));
  CHECK(found.bounds->sticks_out.high < 1e-8);
  CHECK(found.bounds->mean_all.low <= found.all_surfaces.mean + 1e-3);
  CHECK(found.bounds->mean_all.high >= found.all_surfaces.mean - 1e-3);
}

TEST(evaluate_gives_the_same_bytes_for_any_number_of_threads_and_scale) {
  const std::vector<Shape> shapes = {Sphere{{0, 0, 0}, 1.5}, Capsule{{0, 0, 0}, {1, 1, 1}, 0.5}};
  Run one(1), three(3);
  const EvaluateOptions options{.samples = 5'000, .seed = 7};
  const auto a = evaluate(kCube, shapes, options, one), b = evaluate(kCube, shapes, options, three);
  CHECK(a->all_surfaces.mean == b->all_surfaces.mean && a->outer_surface.mean == b->outer_surface.mean);
  CHECK(a->union_volume.value == b->union_volume.value && a->coverage.mean == b->coverage.mean);
  Mesh tiny = kCube;
  for (Vec3& v : tiny.vertices) v = v * 0x1p-150;
  std::vector<Shape> tiny_shapes;
  for (const Shape& shape : shapes) tiny_shapes.push_back(transformed(shape, {{}, {}, 0x1p-150}));
  const auto c = evaluate(tiny, tiny_shapes, options, one);
  CHECK_NEAR(a->outer_surface.mean, c->outer_surface.mean, 1e-12);
}

TEST(evaluate_refuses_wrong_meshes_shapes_and_options) {
  Run run(1);
  const std::vector<Shape> good = {Sphere{{0, 0, 0}, 1}}, bad = {Sphere{{0, 0, 0}, 1}, Sphere{{0, kNan, 0}, 1}};
  const std::vector<Shape> far = {Sphere{{1e40, 0, 0}, 1}};
  CHECK(refuses_wrong_meshes([&](const MeshView& wrong) { return evaluate(wrong, good, {}, run); }));
  CHECK(said(evaluate(kCube, {}, {}, run)) == "evaluate: shapes: there are none. Give at least one.");
  CHECK(said(evaluate(kCube, bad, {}, run)).starts_with("evaluate: shapes: number 1 is no sphere: "));
  CHECK(said(evaluate(kCube, far, {}, run)).starts_with("evaluate: shape 0 reaches more than 1e+30 times"));
  CHECK(said(evaluate(kCube, good, {.samples = 0}, run)) == "evaluate: samples: must be from 1 to 100000000, not 0.");
}
