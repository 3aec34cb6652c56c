#include "primitives/moments.hpp"

#include <algorithm>

#include "tests/check.hpp"
#include "tests/matrices.hpp"
#include "tests/meshes.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::primitives;
using namespace hitbox::tests;

namespace {

Frame random_frame(Random& random) { return frame_from(random_point(random, 1), random_point(random, 1)); }

struct Triple {
  Vec3 a, b, c;
};

std::vector<Triple> random_triangles(Random& random, size_t count, const Vec3& move, double size) {
  std::vector<Triple> made;
  for (size_t k = 0; k < count; ++k)
    made.push_back(
        {move + random_point(random, size), move + random_point(random, size), move + random_point(random, size)});
  return made;
}

Moments moments_of(const Triple& t) {
  return face_moments(std::vector<Vec3>{t.a, t.b, t.c}, std::vector<uint32_t>{0, 1, 2});
}

// The moments of all triangles at once, in long double: raw moments about the first corner by the rule of the three
// edge midpoints, which is exact for squares, moved to the centroid at the end.
Moments naive_moments(const std::vector<Triple>& triangles) {
  using Number = long double;
  const Vec3 from = triangles[0].a;
  Number area = 0, first[3] = {}, raw[3][3] = {};
  for (const Triple& t : triangles) {
    const Number u[3] = {t.b.x - t.a.x, t.b.y - t.a.y, t.b.z - t.a.z},
                 v[3] = {t.c.x - t.a.x, t.c.y - t.a.y, t.c.z - t.a.z};
    const Number n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    const Number own = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
    area += own;
    for (const auto& [p, q] : {std::pair(t.a, t.b), std::pair(t.b, t.c), std::pair(t.c, t.a)}) {
      Number middle[3];
      for (int k = 0; k < 3; ++k) middle[k] = (Number(p[k]) + Number(q[k])) / 2 - from[k];
      for (int i = 0; i < 3; ++i) {
        first[i] += own / 3 * middle[i];
        for (int j = 0; j < 3; ++j) raw[i][j] += own / 3 * middle[i] * middle[j];
      }
    }
  }
  const auto central = [&](int i, int j) { return static_cast<double>(raw[i][j] - first[i] * first[j] / area); };
  const auto mean = [&](int i) { return static_cast<double>(first[i] / area); };
  return {static_cast<double>(area),
          from + Vec3{mean(0), mean(1), mean(2)},
          {central(0, 0), central(0, 1), central(0, 2), central(1, 1), central(1, 2), central(2, 2)}};
}

bool agree(const Moments& a, const Moments& b, double within) {
  const double size = std::sqrt(b.second.trace() / b.area);
  return std::abs(a.area - b.area) <= within * b.area && norm(a.centroid - b.centroid) <= within * size &&
         largest_difference(a.second, b.second) <= within * b.second.trace();
}

}  // namespace

TEST(box_proxy_is_exact_for_a_filled_box) {
  Random random(5);
  for (int round = 0; round < 50; ++round) {
    const Vec3 side = {random.uniform(0.1, 3), random.uniform(0.1, 3), random.uniform(0.1, 3)};
    const double solid = side.x * side.y * side.z;
    const Frame frame = random_frame(random);
    Moments moments{solid, random_point(random, 1), {}};
    for (int k = 0; k < 3; ++k)
      moments.second = moments.second + Sym3::outer(frame.axis[k], solid * side[k] * side[k] / 12);
    CHECK_NEAR(box_proxy(moments, 0), solid, 1e-9 * solid);
    CHECK(box_proxy(moments, 0.1) > solid);
  }
}

TEST(moments_add_up_and_match_a_fine_sum) {
  Random random(6);
  for (int round = 0; round < 20; ++round) {
    const std::vector<Vec3> p = {random_point(random, 1), random_point(random, 1), random_point(random, 1)};
    const std::vector<uint32_t> face = {0, 1, 2};
    // Brute force: the triangle as many small ones, each represented by its centre.
    constexpr int kParts = 100;
    Vec3 first;
    Sym3 raw;
    const double area = 0.5 * norm(cross(p[1] - p[0], p[2] - p[0]));
    const double weight = area / (kParts * kParts);
    for (int i = 0; i < kParts; ++i)
      for (int j = 0; i + j < kParts; ++j)
        for (int half = 0; half < (i + j + 1 < kParts ? 2 : 1); ++half) {
          const double u = (i + (half ? 2.0 : 1.0) / 3) / kParts, v = (j + (half ? 2.0 : 1.0) / 3) / kParts;
          const Vec3 at = p[0] + (p[1] - p[0]) * u + (p[2] - p[0]) * v;
          first += at * weight;
          raw = raw + Sym3::outer(at, weight);
        }
    const Moments found = face_moments(p, face);
    const Vec3 centroid = first / area;
    CHECK_NEAR(found.area, area, 1e-9);
    CHECK(norm(found.centroid - centroid) <= 1e-9);
    CHECK(largest_difference(found.second, raw + Sym3::outer(centroid, -area)) <= 1e-3 * area);

    const std::vector<Vec3> halves = {p[0], p[1], p[2], (p[0] + p[1]) * 0.5};
    const std::vector<uint32_t> one = {0, 3, 2}, two = {3, 1, 2};
    const Moments sum = face_moments(halves, one) + face_moments(halves, two);
    CHECK(largest_difference(sum.second, found.second) <= 1e-12);
    CHECK(norm(sum.centroid - found.centroid) <= 1e-12);
  }
}

TEST(joined_moments_are_those_of_all_triangles_in_any_order) {
  Random random(7);
  for (int round = 0; round < 50; ++round) {
    const auto count = static_cast<size_t>(1 + random.below(40));
    const std::vector<Triple> triangles = random_triangles(random, count, random_point(random, 3), 1);
    const Moments naive = naive_moments(triangles);
    Moments forward = moments_of(triangles[0]), backward = moments_of(triangles.back());
    for (size_t k = 1; k < count; ++k) {
      forward = forward + moments_of(triangles[k]);
      backward = moments_of(triangles[count - 1 - k]) + backward;
    }
    std::vector<Moments> pairs;  // as a merge tree joins them
    for (const Triple& t : triangles) pairs.push_back(moments_of(t));
    while (pairs.size() > 1) {
      const size_t at = random.below(pairs.size() - 1);
      pairs[at] = pairs[at] + pairs.back();
      pairs.pop_back();
    }
    CHECK(agree(forward, naive, 1e-12));
    CHECK(agree(backward, naive, 1e-12));
    CHECK(agree(pairs[0], naive, 1e-12));
  }
}

// Raw moments would have no digit left: (1e6)^2 / (1e-3)^2 is 1e18.
TEST(moments_of_a_small_cluster_far_away_keep_their_digits) {
  Random random(8);
  const std::vector<Triple> triangles = random_triangles(random, 30, {1e6, -2e6, 3e6}, 1e-3);
  Moments sum = moments_of(triangles[0]);
  for (size_t k = 1; k < triangles.size(); ++k) sum = sum + moments_of(triangles[k]);
  CHECK(agree(sum, naive_moments(triangles), 1e-5));
}

TEST(moments_of_a_polygon_do_not_depend_on_its_first_corner) {
  Random random(9);
  // An L: a fan from most of its corners would leave it.
  const std::vector<std::pair<double, double>> outline = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 4}, {0, 4}};
  const Frame frame = random_frame(random);
  std::vector<Vec3> points;
  for (const auto& [x, y] : outline) points.push_back(frame.to_world({x, y, 2}));
  const auto at = [&](double x, double y) { return frame.to_world({x, y, 2}); };
  const Moments naive = naive_moments({{at(0, 0), at(3, 0), at(3, 1)},
                                       {at(0, 0), at(3, 1), at(0, 1)},
                                       {at(0, 1), at(1, 1), at(1, 4)},
                                       {at(0, 1), at(1, 4), at(0, 4)}});
  for (uint32_t first = 0; first < 6; ++first) {
    std::vector<uint32_t> face;
    for (uint32_t k = 0; k < 6; ++k) face.push_back((first + k) % 6);
    CHECK(agree(face_moments(points, face), naive, 1e-12));
    std::reverse(face.begin(), face.end());
    CHECK(agree(face_moments(points, face), naive, 1e-12));
  }
}

TEST(faces_without_area_have_a_place_and_weigh_next_to_nothing) {
  const Vec3 p = {0.3, 0.4, 0.5};
  const Moments point = moments_of({p, p, p});
  CHECK(point.area > 0 && norm(point.centroid - p) <= 1e-15);
  const Triple triangle = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  CHECK(agree(moments_of(triangle) + point, moments_of(triangle), 1e-12));
  const Moments line = moments_of({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}) + point;
  CHECK(std::isfinite(line.second.trace()) && std::isfinite(box_proxy(line, 0.1)));
}

// The proxy of a grown solid is the box whose half sides are those of the solid's moments, plus what the clearance adds
// to each in squares.
TEST(box_proxy_of_moments_turns_with_them_and_grows_with_the_clearance) {
  Random random(10);
  for (int round = 0; round < 50; ++round) {
    const Frame frame = random_frame(random);
    const Vec3 half = {random.uniform(0.1, 2), random.uniform(0.1, 2), random.uniform(0, 2)};
    Moments moments{random.uniform(0.5, 2), random_point(random, 9), {}};
    for (int k = 0; k < 3; ++k)
      moments.second = moments.second + Sym3::outer(frame.axis[k], moments.area * half[k] * half[k] / 3);
    for (const double clearance : {0.0, 0.01, 0.5}) {
      double expected = 8;
      for (int k = 0; k < 3; ++k) expected *= std::hypot(half[k], clearance);
      CHECK_NEAR(box_proxy(moments, clearance), expected, 1e-7 * (expected + 1e-3));
    }
  }
}
