// The public door of fit: wrong input is an Error of one sentence, and what comes out is in the caller's numbers.
#include "hitbox/fit.hpp"

#include <algorithm>

#include "tests/check.hpp"
#include "tests/meshes.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::tests;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Result<FitResult> fitted(const Mesh& mesh, const FitOptions& options = {}) {
  Run run(1);
  return hitbox::fit(mesh.view(), options, run);
}

std::string refusal(const Mesh& mesh, const FitOptions& options = {}) {
  const auto result = fitted(mesh, options);
  return result.ok() ? "" : result.error().message;
}

Mesh cube() { return box_mesh({{0, 0, 0}, {1, 1, 1}}); }

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

TEST(fit_refuses_options_that_make_no_sense) {
  const auto with = [](auto&& change) {
    FitOptions options;
    change(options);
    return refusal(cube(), options);
  };
  CHECK(with([](FitOptions&) {}).empty());
  CHECK(with([](FitOptions& o) { o.count = 0; }).starts_with("count: "));
  CHECK(with([](FitOptions& o) { o.group_of_face = {0, 1}; }).starts_with("group_of_face: "));
  CHECK(with([](FitOptions& o) { o.importance = {1, 1}; }).starts_with("importance: "));
  CHECK(with([](FitOptions& o) { o.hull_vertices = 3; }).starts_with("hull_vertices: "));
  for (const double wrong : {0.0, -1.0, kNan, Bounds::kInfinity})
    CHECK(with([&](FitOptions& o) { o.importance = {1, 1, wrong, 1, 1, 1}; }).starts_with("importance: "));
  CHECK(with([](FitOptions& o) {
          o.importance.assign(6, 2.5);
          o.group_of_face.assign(6, 7);
          o.hull_vertices = 4;
        }).empty());
}

TEST(fit_refuses_what_is_no_mesh) {
  CHECK(!refusal({}).empty());
  for (const double wrong : {kNan, Bounds::kInfinity}) {
    Mesh mesh = cube();
    mesh.vertices[3].y = wrong;
    CHECK(!refusal(mesh).empty());
  }
  Mesh beyond = cube();
  beyond.indices[5] = 8;
  CHECK(!refusal(beyond).empty());
  Mesh line = cube();
  line.indices.insert(line.indices.end(), {0, 1});
  line.offsets.push_back(static_cast<uint32_t>(line.indices.size()));
  CHECK(!refusal(line).empty());
}

// A mesh of loose triangles, as STL gives it, fits as the welded one, and faces keep their numbers.
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
    CHECK(fit.shapes.size() <= options.count && fit.face_offsets.size() == fit.shapes.size() + 1);
    CHECK(fit.face_offsets.back() == fit.faces.size() && fit.faces.size() == mesh.view().face_count());
    std::vector<uint32_t> sorted = fit.faces;
    std::sort(sorted.begin(), sorted.end());
    for (uint32_t f = 0; f < sorted.size(); ++f) CHECK(sorted[f] == f);
    for (const Shape& shape : fit.shapes)
      CHECK(std::visit([&](const auto& s) { return options.kinds[static_cast<size_t>(s.kKind)]; }, shape));
    CHECK(sticks_out(mesh, fit) <= 0);
  }
}
