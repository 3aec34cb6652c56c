// fit and fit_tree as an engine calls them.
#include "tests/api/inputs.hpp"

using namespace hitbox;
using namespace hitbox::tests;

namespace {

std::string error_of(const FitOptions& options) {
  Run run(1);
  return said(fit(box_mesh({{0, 0, 0}, {1, 1, 1}}), options, run));
}

// The largest distance of a shape's surface from the mesh, from points on a fine mesh around the shape.
double sampled_distance(const std::vector<Shape>& shapes, const Mesh& mesh) {
  Run run(2);
  double largest = 0;
  for (const Shape& shape : shapes) {
    const TriangleMesh surface = to_mesh(shape, 256);
    std::vector<Vec3> points = surface.vertices;
    for (const auto& [a, b, c] : surface.triangles)
      points.push_back((surface.vertices[a] + surface.vertices[b] + surface.vertices[c]) / 3);
    for (const double d : closest_points(mesh, points, run).value().distances) largest = std::max(largest, d);
  }
  return largest;
}

}  // namespace

TEST(public_fit_finds_the_box_of_a_box) {
  Run run(2);
  const auto fitted = fit(box_mesh({{0, 0, 0}, {1, 2, 3}}), {.count = 4}, run);
  CHECK(fitted.ok() && fitted->shapes.size() == 1);
  CHECK(kind_of(fitted->shapes[0]) == Kind::box);
  CHECK_NEAR(volume(fitted->shapes[0]), 6, 1e-9);
  CHECK(!fitted->strays);
}

TEST(public_fit_encloses_every_face_with_a_count_a_tolerance_both_or_neither) {
  const Mesh mesh = torus(24, 1, 0.3);
  Run run(2);
  for (const FitOptions& options :
       {FitOptions{.count = 9}, FitOptions{.tolerance = 0.1}, FitOptions{.count = 5, .tolerance = 0.1}, FitOptions{}}) {
    const auto fitted = fit(mesh, options, run);
    CHECK(fitted.ok());
    CHECK(encloses_every_face(*fitted, mesh));
    CHECK(!options.count || fitted->shapes.size() <= *options.count);
    CHECK(fitted->strays.has_value() == (options.tolerance || !options.count));
  }
}

TEST(public_fit_stays_within_the_tolerance_and_says_where_it_cannot) {
  const Mesh mesh = torus(24, 1, 0.3);
  const double diagonal = referenced_bounds(mesh).diagonal();
  Run run(2);
  const auto fine = fit(mesh, {.tolerance = 0.15, .objective = Objective::surface}, run);
  CHECK(fine->over == 0 && !fine->capped && *fine->strays <= 0.15);
  const auto by_default = fit(mesh, {}, run);
  CHECK(*by_default->strays <= 0.03 * diagonal);
  const auto few = fit(mesh, {.count = 2, .tolerance = 0.01}, run);
  CHECK(few->capped && few->over > 0 && *few->strays > 0.01 && few->shapes.size() <= 2);
  CHECK(sampled_distance(fine->shapes, mesh) <= *fine->strays + 0.02);  // the points lie a little outside the shapes
}

TEST(public_fit_keeps_groups_apart_whatever_their_numbers) {
  Mesh mesh = box_mesh({{0, 0, 0}, {1, 1, 1}});
  add_box(mesh, {{1, 0, 0}, {2, 1, 1}});
  std::vector<uint32_t> groups(12, 4'000'000'000u);
  for (size_t f = 0; f < 6; ++f) groups[f] = 17;
  Run run(1);
  const auto fitted = fit(mesh, {.count = 2, .group_of_face = groups}, run);
  CHECK(fitted->shapes.size() == 2);
  for (size_t k = 0; k < 2; ++k)
    for (uint32_t at = fitted->face_offsets[k]; at < fitted->face_offsets[k + 1]; ++at)
      CHECK(groups[fitted->faces[at]] == groups[fitted->faces[fitted->face_offsets[k]]]);
  CHECK(said(fit(mesh, {.count = 1, .group_of_face = groups}, run)) ==
        "fit: count: 1 shapes cannot keep 2 groups of faces separate. Give 2 or more.");
}

TEST(public_fit_refuses_wrong_meshes_and_options) {
  Run run(1);
  CHECK(refuses_wrong_meshes([&](const MeshView& mesh) { return fit(mesh, {.count = 2}, run); }));
  CHECK(error_of({.count = 0}) == "fit: count: must be from 1 to 1000000, not 0.");
  CHECK(error_of({.tolerance = 0}) == "fit: tolerance: must be a finite number above 0, not 0.");
  CHECK(error_of({.tolerance = kNan}) != "");
  CHECK(error_of({.count = 2, .kinds = {}}) == "fit: kinds: no kind is left. Allow one.");
  CHECK(error_of({.count = 2, .weights = {1, 1, 0, 1, 1, 1}}) ==
        "fit: weights: number 2 must be from 1e-06 to 1e+06, not 0.");
  CHECK(error_of({.count = 2, .overlap_samples = 0}) != "");
  CHECK(error_of({.count = 2, .max_excess = kNan}) != "");
  CHECK(error_of({.count = 2, .drop_thin = -1}) == "fit: drop_thin: must be a finite number of 0 or more, not -1.");
  CHECK(error_of({.count = 2, .drop_thin = 5}) != "");  // nothing would be left
  CHECK(error_of({.count = 2, .group_of_face = {1, 2}}) ==
        "fit: group_of_face: must have one number per face, or none: 2 for 6 faces.");
  CHECK(error_of({.count = 2, .importance = {1}}) != "");
  CHECK(error_of({.count = 2, .importance = {1, 1, 1, kNan, 1, 1}}) != "");
  CHECK(error_of({.count = 2, .keep_clear = {{{0, 0, 0}, 0}}}) ==
        "fit: keep_clear: sphere 0 must be finite, with a radius above 0, not 0.");
  CHECK(error_of({.count = 2, .max_vertices = 3}) == "fit: max_vertices: must be from 4 to 256, not 3.");
  CHECK(error_of({.count = 2, .pad = -1}) == "fit: pad: -1 moves sides in by half the mesh. Give less.");
  CHECK(error_of({.count = 2, .pad = kNan}) != "");
  CHECK(error_of({.count = 2, .time_budget = kNan}) != "");
}

TEST(a_report_that_returns_false_cancels_a_public_call) {
  const Mesh mesh = torus(200, 1, 0.3);
  Run run(2, [](const char*, double) { return false; });
  bool cancelled = false;
  try {
    (void)fit(mesh, {.count = 8}, run);
  } catch (const Cancelled&) {
    cancelled = true;
  }
  CHECK(cancelled);
}

TEST(a_public_tree_has_nested_levels_that_enclose) {
  const Mesh mesh = torus(20, 1, 0.3);
  Run run(2);
  auto made = fit_tree(mesh, 32, {}, run);
  CHECK(made.ok());
  const FitTree tree = std::move(*made);
  CHECK(tree.finest() == 32);
  for (const uint32_t count : {1u, 6u, 32u, 40u}) {
    const auto level = tree.at(count, run);
    CHECK(level.ok() && level->shapes.size() <= count && encloses_every_face(*level, mesh));
  }
  const auto within = tree.within(0.2, run);
  CHECK(encloses_every_face(*within, mesh));
  CHECK(within->over == 0 && *within->strays <= 0.2);
  CHECK(tree.within(1e-6, run).value().over > 0);
}

TEST(a_public_tree_refuses_wrong_meshes_options_and_levels) {
  Run run(1);
  const Mesh mesh = box_mesh({{0, 0, 0}, {1, 1, 1}});
  CHECK(refuses_wrong_meshes([&](const MeshView& wrong) { return fit_tree(wrong, 8, {}, run); }));
  CHECK(said(fit_tree(mesh, 0, {}, run)) == "fit_tree: finest: must be from 1 to 1000000, not 0.");
  CHECK(said(fit_tree(mesh, 8, {.count = 3}, run)) != "");
  CHECK(said(fit_tree(mesh, 8, {.tolerance = 3}, run)) != "");
  CHECK(said(fit_tree(mesh, 8, {.pad = kNan}, run)) != "");
  const auto tree = fit_tree(mesh, 8, {}, run);
  CHECK(said(tree->at(0, run)) != "");
  CHECK(said(tree->within(0, run)) != "");
  CHECK(said(tree->within(kNan, run)) != "");
}
