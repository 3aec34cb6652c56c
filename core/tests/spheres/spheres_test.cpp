// Spheres in C++: enclosure, count, and the same bytes for any number of threads.
#include "spheres/spheres.hpp"

#include "measure/certify.hpp"
#include "spheres/sphere_cover.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::spheres;

namespace {

void add_quad(Mesh& mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  for (const uint32_t v : {a, b, c, d}) mesh.indices.push_back(v);
  mesh.offsets.push_back(static_cast<uint32_t>(mesh.indices.size()));
}

Mesh torus(uint32_t side, double ring, double tube) {
  Mesh mesh;
  for (uint32_t i = 0; i < side; ++i)
    for (uint32_t j = 0; j < side; ++j) {
      const double u = 2 * kPi * i / side, v = 2 * kPi * j / side, r = ring + tube * std::cos(v);
      mesh.vertices.push_back({r * std::cos(u), r * std::sin(u), tube * std::sin(v)});
      const uint32_t right = (i + 1) % side, up = (j + 1) % side;
      add_quad(mesh, i * side + j, right * side + j, right * side + up, i * side + up);
    }
  return mesh;
}

Mesh box(const Vec3& size) {
  Mesh mesh;
  for (const double x : {0.0, size.x})
    for (const double y : {0.0, size.y})
      for (const double z : {0.0, size.z}) mesh.vertices.push_back({x, y, z});
  for (const auto& [a, b, c, d] : std::vector<std::array<uint32_t, 4>>{
           {0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}})
    add_quad(mesh, a, b, c, d);
  return mesh;
}

SphereFit fitted(const Mesh& mesh, uint32_t count, SphereMode mode, unsigned threads = 2,
                 const FitOptions& options = {}) {
  Run run(threads);
  return fit_spheres(mesh.view(), count, mode, options, run);
}

std::vector<double> numbers(const SphereFit& fit) {
  std::vector<double> all;
  for (const Shape& shape : fit.fitted.shapes) {
    const Sphere& s = std::get<Sphere>(shape);
    all.insert(all.end(), {s.center.x, s.center.y, s.center.z, s.radius});
  }
  return all;
}

// An upper bound of the distance of the mesh from the spheres, as a fraction of the diagonal.
double certified_outside(const Mesh& mesh, const SphereFit& fit) {
  Run run(2);
  const ShapeUnion all(fit.fitted.shapes, run);
  return certify(mesh.view(), all, {1e-3}, run).sticks_out.high;
}

}  // namespace

TEST(spheres_hold_the_large_faces_of_a_box_in_their_union) {
  const Mesh mesh = box({3, 2, 1});
  for (const uint32_t count : {1u, 2u, 7u, 30u}) {
    const SphereFit fit = fitted(mesh, count, SphereMode::conservative);
    CHECK(fit.fitted.shapes.size() <= count);
    CHECK(certified_outside(mesh, fit) <= 1e-3 + 1e-9);  // the resolution of the bound
    CHECK(fit.measure.coverage == 1 && fit.measure.left_out == 0);
  }
  CHECK(fitted(mesh, 30, SphereMode::conservative).measure.mean < 0.06);
}

TEST(spheres_are_the_same_for_any_number_of_threads) {
  const Mesh mesh = torus(40, 1, 0.3);
  for (const SphereMode mode : {SphereMode::conservative, SphereMode::balanced}) {
    const std::vector<double> expected = numbers(fitted(mesh, 20, mode, 1));
    for (const unsigned threads : {2u, 3u, 7u}) CHECK(numbers(fitted(mesh, 20, mode, threads)) == expected);
  }
}

TEST(balanced_spheres_leave_little_out) {
  const Mesh mesh = torus(40, 1, 0.3);
  const SphereFit all = fitted(mesh, 20, SphereMode::conservative);
  const SphereFit most = fitted(mesh, 20, SphereMode::balanced);
  CHECK(most.measure.coverage >= 0.95);
  CHECK(certified_outside(mesh, most) <= kLeftOut + 1e-3);
  CHECK(most.measure.mean < all.measure.mean && most.measure.volume_ratio < all.measure.volume_ratio);
}

TEST(a_cover_holds_each_piece_in_one_ball) {
  const Mesh mesh = torus(30, 1, 0.4);
  Run run(2);
  const TriangleBvh surface(mesh.view(), run);
  const Winding winding(surface);
  const DepthGrid grid(surface, winding, referenced_bounds(mesh.view()), run);
  std::vector<DeepBall> balls;
  for (int k = 0; k < 9; ++k) balls.push_back({{std::cos(0.7 * k), std::sin(0.7 * k), 0}, 0.45, 0.4});
  const std::vector<FaceFragment> pieces = cut_to_balls(mesh.view(), {}, balls, 0.02, run);
  CHECK(pieces.size() > mesh.view().triangle_count());
  cover(pieces, balls, BallFitter(surface, winding, grid), run);
  const std::vector<uint32_t> best = best_balls(pieces, balls, run);
  for (size_t k = 0; k < pieces.size(); ++k)
    for (const Vec3& p : pieces[k].corners) CHECK(balls[best[k]].distance(p) <= 0);
}

TEST(a_ball_goes_deep_to_stick_out_less) {
  const Mesh mesh = box({4, 4, 4});
  Run run(1);
  const TriangleBvh surface(mesh.view(), run);
  const Winding winding(surface);
  const DepthGrid grid(surface, winding, referenced_bounds(mesh.view()), run);
  const BallFitter fitter(surface, winding, grid);
  const std::vector<Vec3> square = {{1, 1, 4}, {3, 1, 4}, {3, 3, 4}, {1, 3, 4}};  // on one side
  const DeepBall ball = fitter.around(square, {2, 2, 4}, 0, BallFitter::Care::rough);
  CHECK_NEAR(ball.center.z, 2, 0.1);
  CHECK_NEAR(ball.sticks_out(), std::sqrt(6.0) - 2, 0.02);
}

TEST(spheres_keep_out_of_clear_space_and_hold_everything) {
  const Mesh mesh = torus(40, 1, 0.3);
  FitOptions options;
  options.keep_clear = {{{0, 0, 0}, 0.6}, {{1, 0, 0.5}, 0.1}};
  for (const double pad : {0.0, 0.03}) {
    options.pad = pad;
    const SphereFit fit = fitted(mesh, 3, SphereMode::conservative, 2, options);
    CHECK(certified_outside(mesh, fit) <= 1e-3 + 1e-9);
    for (const Shape& shape : fit.fitted.shapes) {
      const Sphere& s = std::get<Sphere>(shape);
      for (const Sphere& clear : options.keep_clear)
        CHECK(norm(s.center - clear.center) >= s.radius + clear.radius - 1e-9);
    }
  }
}

TEST(space_that_the_mesh_itself_enters_is_entered) {
  const Mesh mesh = box({3, 2, 1});
  FitOptions options;
  options.keep_clear = {{{3, 1, 0.5}, 0.4}};
  const SphereFit fit = fitted(mesh, 6, SphereMode::conservative, 2, options);
  CHECK(certified_outside(mesh, fit) <= 1e-3 + 1e-9);
}

TEST(a_sphere_holds_faces_of_one_group) {
  const Mesh mesh = torus(40, 1, 0.3);
  FitOptions options;
  for (size_t f = 0; f < mesh.view().face_count(); ++f) options.group_of_face.push_back(f % 40 < 13 ? 1 : 0);
  const SphereFit fit = fitted(mesh, 12, SphereMode::conservative, 2, options);
  for (size_t s = 0; s < fit.fitted.shapes.size(); ++s)
    for (uint32_t k = fit.fitted.face_offsets[s]; k < fit.fitted.face_offsets[s + 1]; ++k)
      CHECK(options.group_of_face[fit.fitted.faces[k]] ==
            options.group_of_face[fit.fitted.faces[fit.fitted.face_offsets[s]]]);
  CHECK(fit.fitted.shapes.size() <= 12);
}
