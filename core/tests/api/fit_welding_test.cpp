// The public fit welds, and names faces by the numbers of the caller.
#include <algorithm>

#include "hitbox/fit.hpp"
#include "tests/check.hpp"
#include "tests/meshes.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::tests;

namespace {

Result<FitResult> fitted(const Mesh& mesh, const FitOptions& options = {}) {
  Run run(1);
  return hitbox::fit(mesh.view(), options, run);
}

// The largest distance of a face's corner from the shape that owns the face.
double sticks_out(const Mesh& mesh, const FitResult& result) {
  double most = -Bounds::kInfinity;
  for (size_t k = 0; k < result.shapes.size(); ++k)
    for (uint32_t at = result.face_offsets[k]; at < result.face_offsets[k + 1]; ++at)
      for (const uint32_t v : mesh.view().face(result.faces[at])) {
        double out = 0;
        signed_distance(result.shapes[k], {&mesh.vertices[v], 1}, {&out, 1});
        most = std::max(most, out);
      }
  return most;
}

}  // namespace

TEST(fit_welds_a_mesh_of_loose_faces) {
  Mesh mesh = box_mesh({{0, 0, 0}, {1, 2, 3}});
  add_box(mesh, {{4, 0, 0}, {5, 1, 1}});
  Mesh loose;
  loose.vertices.push_back({-9, 9, 9});  // no face uses it
  for (uint32_t f = 0; f < mesh.view().face_count(); ++f) {
    for (const uint32_t v : mesh.view().face(f)) {
      loose.indices.push_back(static_cast<uint32_t>(loose.vertices.size()));
      loose.vertices.push_back(mesh.vertices[v]);
    }
    loose.offsets.push_back(static_cast<uint32_t>(loose.indices.size()));
  }
  FitOptions options;
  options.count = 2;
  const auto whole = fitted(mesh, options), parts = fitted(loose, options);
  CHECK(whole.ok() && parts.ok());
  CHECK(parts.value().shapes.size() == 2 && parts.value().faces == whole.value().faces);
  double volumes = 0;
  for (const Shape& shape : parts.value().shapes) volumes += volume(shape);
  CHECK_NEAR(volumes, 1 * 2 * 3 + 1 * 1 * 1, 1e-9);
  CHECK(sticks_out(loose, parts.value()) <= 0);
}

TEST(fit_owns_every_face_once_and_obeys_its_count) {
  Random random(3);
  for (int round = 0; round < 6; ++round) {
    Mesh mesh = torus(14, 1, 0.3);
    for (Vec3& v : mesh.vertices) v = v + random_point(random, 0.02);
    FitOptions options;
    options.count = 1 + static_cast<uint32_t>(2 * round);
    options.kinds = {round != 1, round != 2, round != 3, round != 4, round != 5, round % 2 == 0};
    const auto result = fitted(mesh, options);
    CHECK(result.ok());
    const FitResult& fit = result.value();
    CHECK(fit.shapes.size() <= *options.count && fit.face_offsets.size() == fit.shapes.size() + 1);
    CHECK(fit.face_offsets.back() == fit.faces.size() && fit.faces.size() == mesh.view().face_count());
    std::vector<uint32_t> sorted = fit.faces;
    std::sort(sorted.begin(), sorted.end());
    for (uint32_t f = 0; f < sorted.size(); ++f) CHECK(sorted[f] == f);
    for (const Shape& shape : fit.shapes)
      CHECK(std::visit([&](const auto& s) { return options.kinds[static_cast<size_t>(s.kKind)]; }, shape));
    CHECK(sticks_out(mesh, fit) <= 0);
  }
}
