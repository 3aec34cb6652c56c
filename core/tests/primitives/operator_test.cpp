#include "primitives/operator.hpp"

#include "geometry/eigen3.hpp"
#include "tests/check.hpp"
#include "tests/matrices.hpp"
#include "tests/meshes.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::primitives;
using namespace hitbox::tests;

namespace {

Frame random_frame(Random& random) { return frame_from(random_point(random, 1), random_point(random, 1)); }

// R m R^T, with the frame's axes as the columns of R.
Sym3 turned(const Sym3& m, const Frame& frame) {
  const double rows[3][3] = {{m.xx, m.xy, m.xz}, {m.xy, m.yy, m.yz}, {m.xz, m.yz, m.zz}};
  double sum[3][3] = {};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) sum[i][j] += frame.axis[a][i] * rows[a][b] * frame.axis[b][j];
  return {sum[0][0], sum[0][1], sum[0][2], sum[1][1], sum[1][2], sum[2][2]};
}

}  // namespace

TEST(operator_of_a_quad_follows_the_paper) {
  Random random(1);
  const std::vector<uint32_t> face = {0, 1, 2, 3};
  for (int round = 0; round < 100; ++round) {
    const std::vector<Vec3> p = {random_point(random, 1), random_point(random, 1), random_point(random, 1),
                                 random_point(random, 1)};
    const Vec3 twice_area = cross(p[2] - p[0], p[3] - p[1]);
    const double area = 0.5 * norm(twice_area);
    const Vec3 normal = normalized(twice_area), tangent = normalized((p[0] - p[2]) + (p[1] - p[3]));
    const FaceOperator op = face_operator(p, face);
    CHECK(largest_difference(op.normal, Sym3::outer(normal, area)) <= 1e-12);
    CHECK(largest_difference(op.tangent, Sym3::outer(tangent, area)) <= 1e-12);
    CHECK_NEAR(op.normal.trace(), area, 1e-12);
  }
}

TEST(operator_of_a_triangle_follows_the_paper) {
  Random random(2);
  const std::vector<uint32_t> face = {0, 1, 2};
  for (int round = 0; round < 100; ++round) {
    const std::vector<Vec3> p = {random_point(random, 1), random_point(random, 1), random_point(random, 1)};
    std::vector<Vec3> edge = {p[1] - p[0], p[2] - p[1], p[0] - p[2]};
    std::sort(edge.begin(), edge.end(), [](const Vec3& a, const Vec3& b) { return norm(a) < norm(b); });
    const Vec3 tangent = normalized(edge[0] - edge[1] + edge[2]);
    const double area = 0.5 * norm(cross(p[1] - p[0], p[2] - p[0]));
    const FaceOperator op = face_operator(p, face);
    CHECK_NEAR(op.normal.trace(), area, 1e-12);
    CHECK(largest_difference(op.tangent, Sym3::outer(tangent, area)) <= 1e-12);
  }
}

TEST(operator_of_a_rectangle_has_its_sides_as_frame) {
  Random random(3);
  for (int round = 0; round < 50; ++round) {
    const Frame frame = random_frame(random);
    const auto at = [&](double x, double y) { return frame.to_world({x, y, 0.3}); };
    const std::vector<Vec3> p = {at(0, 0), at(2, 0), at(2, 1), at(0, 1)};
    for (const std::vector<uint32_t>& face : {std::vector<uint32_t>{0, 1, 2, 3}, {0, 1, 2}}) {
      const Frame found = eigen3(combined(face_operator(p, face), true)).vectors;
      CHECK_NEAR(std::abs(dot(found.axis[2], frame.axis[2])), 1, 1e-9);  // the normal
      // A side, or for a quad the midline between two sides.
      const double along = std::abs(dot(found.axis[1], frame.axis[0]));
      CHECK(along <= 1e-6 || along >= 1 - 1e-6);
    }
  }
}

TEST(a_face_without_area_steers_nothing) {
  const std::vector<Vec3> p = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {2, 2, 2}};
  const std::vector<uint32_t> line = {0, 1, 2}, point = {2, 3, 2}, quad = {0, 1, 2, 3};
  for (const auto& face : {line, point, quad}) {
    const FaceOperator op = face_operator(p, face);
    CHECK(largest_difference(op.normal, {}) == 0);
    CHECK(largest_difference(op.tangent, {}) == 0);
  }
}

TEST(operator_turns_with_its_face_and_does_not_move) {
  Random random(4);
  for (int round = 0; round < 100; ++round) {
    const Frame frame = random_frame(random);
    const Vec3 move = random_point(random, 5);
    std::vector<Vec3> here, there;
    std::vector<uint32_t> face;
    for (uint32_t k = 0; k < 3 + static_cast<uint32_t>(round % 4); ++k) {
      face.push_back(k);
      here.push_back(random_point(random, 1));
      there.push_back(frame.to_world(here.back()) + move);
    }
    const FaceOperator before = face_operator(here, face), after = face_operator(there, face);
    CHECK(largest_difference(after.normal, turned(before.normal, frame)) <= 1e-11);
    CHECK(largest_difference(after.tangent, turned(before.tangent, frame)) <= 1e-11);
    CHECK(norm(after.facing - frame.to_world(before.facing)) <= 1e-11);
  }
}

TEST(area_and_facing_of_a_flat_polygon_are_those_of_its_outline) {
  Random random(5);
  for (const uint32_t corners : {3u, 4u, 5u, 9u, 30u}) {
    const Frame frame = random_frame(random);
    std::vector<Vec3> points;
    std::vector<uint32_t> face;
    double twice_area = 0;  // shoelace
    const auto at = [&](uint32_t k) {
      return std::pair(2 * std::cos(2 * kPi * k / corners), std::sin(2 * kPi * k / corners));
    };
    for (uint32_t k = 0; k < corners; ++k) {
      const auto [x, y] = at(k);
      const auto [next_x, next_y] = at(k + 1);
      twice_area += x * next_y - next_x * y;
      points.push_back(frame.to_world({x, y, 7}));
      face.push_back(k);
    }
    const FaceOperator op = face_operator(points, face);
    CHECK_NEAR(op.area(), twice_area / 2, 1e-12);
    CHECK(norm(op.facing - frame.axis[2] * (twice_area / 2)) <= 1e-12);
    CHECK(largest_difference(op.normal, Sym3::outer(frame.axis[2], twice_area / 2)) <= 1e-12);
  }
}

TEST(operators_of_a_closed_surface_sum_to_its_area_and_face_nowhere) {
  Mesh mesh = box_mesh({{-1, -2, 0}, {1, 3, 0.5}});
  add_box(mesh, {{5, 5, 5}, {6, 7, 8}});
  std::vector<uint32_t> all(mesh.view().face_count());
  for (uint32_t f = 0; f < all.size(); ++f) all[f] = f;
  const FaceOperator op = sum_of_operators(mesh.view(), all);
  CHECK_NEAR(op.area(), 2 * (2 * 5 + 5 * 0.5 + 0.5 * 2) + 2 * (1 * 2 + 2 * 3 + 3 * 1), 1e-12);
  CHECK(norm(op.facing) <= 1e-12);
  // The areas of the sides across x, y and z.
  CHECK(largest_difference(op.normal, {2 * (2.5 + 6), 0, 0, 2 * (1 + 3), 0, 2 * (10 + 2)}) <= 1e-12);
  const std::vector<uint32_t> some = {0, 3, 3, 7};
  FaceOperator sum;
  for (const uint32_t f : some) sum = sum + face_operator(mesh.vertices, mesh.view().face(f));
  CHECK(largest_difference(sum_of_operators(mesh.view(), some).normal, sum.normal) == 0);
  CHECK(sum_of_operators(mesh.view(), {}).area() == 0);
}

TEST(tangents_decide_only_what_the_normals_leave_open) {
  const std::vector<Vec3> p = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {0, 1, 0}};
  const FaceOperator op = face_operator(p, std::vector<uint32_t>{0, 1, 2, 3});
  CHECK(largest_difference(combined(op, false), op.normal) == 0);
  const Sym3 extra = combined(op, true) + op.normal * -1;
  CHECK(extra.trace() > 0 && extra.trace() <= 1e-2 * op.area());
}
