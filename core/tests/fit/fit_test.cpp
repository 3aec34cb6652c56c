// The complete fit in C++: enclosure, count, and the same bytes for any number of threads.
#include "fit/fit.hpp"

#include "base/random.hpp"
#include "fit/levels.hpp"
#include "fit/tolerance.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::fit;

namespace {

// A closed bumpy torus of `side` x `side` quads.
Mesh bumpy_torus(uint32_t side) {
  Mesh mesh;
  Random random(7);
  for (uint32_t i = 0; i < side; ++i) {
    for (uint32_t j = 0; j < side; ++j) {
      const double u = 2 * kPi * i / side, v = 2 * kPi * j / side;
      const double tube = 0.3 + 0.01 * random.uniform();
      const double ring = 1 + tube * std::cos(v);
      mesh.vertices.push_back({ring * std::cos(u), ring * std::sin(u), tube * std::sin(v)});
      const uint32_t right = (i + 1) % side, up = (j + 1) % side;
      for (const uint32_t corner : {i * side + j, right * side + j, right * side + up, i * side + up})
        mesh.indices.push_back(corner);
      mesh.offsets.push_back(static_cast<uint32_t>(mesh.indices.size()));
    }
  }
  return mesh;
}

FitResult fit(const MeshView& mesh, uint32_t count, unsigned threads) {
  Run run(threads);
  const FitInput input(mesh, mesh, {}, run);
  const MergeTree tree = build_tree(input, count, run);
  return shapes_after(input, tree, tree.merges_to(count), run);
}

// Any difference in a shape changes the distances of these points.
std::vector<double> fingerprint(const FitResult& fitted) {
  const std::vector<Vec3> points = {{0.1, 0.2, 0.3}, {-3, 0.5, 1}, {0.7, -0.7, 0}, {2, 2, -2}};
  std::vector<double> all, one(points.size());
  for (const Shape& shape : fitted.shapes) {
    signed_distance(shape, points, one);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

}  // namespace

TEST(fit_gives_the_same_shapes_for_any_number_of_threads) {
  const Mesh mesh = bumpy_torus(110);
  const std::vector<double> expected = fingerprint(fit(mesh.view(), 40, 1));
  CHECK(!expected.empty());
  for (unsigned threads : {2u, 3u, 7u}) CHECK(fingerprint(fit(mesh.view(), 40, threads)) == expected);
}

TEST(fit_encloses_every_face_in_the_shape_that_owns_it) {
  const Mesh mesh = bumpy_torus(60);
  const FitResult fitted = fit(mesh.view(), 25, 2);
  CHECK(fitted.shapes.size() <= 25);
  CHECK(fitted.faces.size() == mesh.view().face_count());
  for (size_t k = 0; k < fitted.shapes.size(); ++k) {
    for (uint32_t at = fitted.face_offsets[k]; at < fitted.face_offsets[k + 1]; ++at) {
      for (const uint32_t v : mesh.view().face(fitted.faces[at])) {
        std::vector<double> distance(1);
        signed_distance(fitted.shapes[k], std::vector<Vec3>{mesh.vertices[v]}, distance);
        CHECK(distance[0] <= 0);
      }
    }
  }
}

TEST(shapes_within_a_tolerance_are_the_same_for_any_number_of_threads) {
  const Mesh mesh = bumpy_torus(40);
  const auto within = [&](unsigned threads, double tolerance) {
    Run run(threads);
    const FitInput input(mesh.view(), mesh.view(), {}, run);
    return fit_within(input, tolerance, 1000, run);
  };
  const WithinResult one = within(1, 0.03);
  CHECK(one.strays <= 0.03 && one.strays > 0);
  CHECK(one.fitted.shapes.size() > 3);
  CHECK(one.fitted.faces.size() == mesh.view().face_count());
  CHECK(fingerprint(within(3, 0.03).fitted) == fingerprint(one.fitted));
  CHECK(within(2, 0.06).fitted.shapes.size() < one.fitted.shapes.size());
}

TEST(levels_are_cuts_of_one_tree) {
  const Mesh mesh = bumpy_torus(40);
  Run run(2);
  const FitInput input(mesh.view(), mesh.view(), {}, run);
  const Levels levels(input, 32, run);
  const MergeTree tree = build_tree(input, 32, run);
  for (const uint32_t count : {1u, 5u, 32u, 50u}) {
    const FitResult level = levels.at(count, run);
    CHECK(level.shapes.size() <= count);
    CHECK(level.faces.size() == mesh.view().face_count());
    CHECK(levels.clusters_at(count).cluster_of_face ==
          tree.in_input_faces(tree.partition_after(tree.merges_to(count))).cluster_of_face);
  }
  CHECK(levels.within(1, run).fitted.shapes.size() == 1);
  CHECK(levels.within(1e-6, run).strays > 1e-6);  // even the finest shapes do not reach it
  CHECK(levels.clusters_within(1e-6).cluster_count == 32);
}

// Groups that are scattered over one surface in hundreds of pieces, none next to a piece of its own group.
TEST(no_cluster_has_faces_of_two_groups_and_each_group_ends_as_one) {
  const Mesh mesh = bumpy_torus(90);
  constexpr uint32_t kGroups = 5;
  FitOptions options;
  Random random(3);
  for (size_t f = 0; f < mesh.view().face_count(); ++f)
    options.group_of_face.push_back(static_cast<uint32_t>(random.below(kGroups)));
  Run run(2);
  const FitInput input(mesh.view(), mesh.view(), options, run);
  const auto check = [&](const FitResult& fitted, uint32_t count) {
    CHECK(fitted.shapes.size() <= count);
    CHECK(fitted.faces.size() == mesh.view().face_count());
    for (size_t k = 0; k < fitted.shapes.size(); ++k) {
      const uint32_t first = fitted.face_offsets[k];
      for (uint32_t at = first; at < fitted.face_offsets[k + 1]; ++at)
        CHECK(options.group_of_face[fitted.faces[at]] == options.group_of_face[fitted.faces[first]]);
    }
  };
  const MergeTree tree = build_tree(input, 20, run);
  CHECK(tree.clusters_after(tree.merges.size()) == kGroups);
  for (const uint32_t count : {2000u, 20u, kGroups}) {
    check(shapes_after(input, tree, tree.merges_to(count), run), count);
    check(fit(input, count, run), count);
  }
}

TEST(one_group_is_as_good_as_none) {
  const Mesh mesh = bumpy_torus(60);
  FitOptions options;
  options.group_of_face.assign(mesh.view().face_count(), 7);
  Run run(1);
  const FitInput input(mesh.view(), mesh.view(), options, run);
  const MergeTree tree = build_tree(input, 25, run);
  const FitResult fitted = shapes_after(input, tree, tree.merges_to(25), run);
  CHECK(fingerprint(fitted) == fingerprint(fit(mesh.view(), 25, 1)));
}
