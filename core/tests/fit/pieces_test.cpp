#include <numeric>

#include "base/random.hpp"
#include "fit/cost/overlap.hpp"
#include "fit/refine/cull.hpp"
#include "fit/shaping/kernel.hpp"
#include "fit/tree/leaves.hpp"
#include "fit/tree/tree.hpp"
#include "geometry/eigen3.hpp"
#include "primitives/candidates.hpp"
#include "primitives/moments.hpp"
#include "primitives/operator.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::fit;

namespace {

double largest_difference(const Sym3& a, const Sym3& b) {
  return std::max({std::abs(a.xx - b.xx), std::abs(a.xy - b.xy), std::abs(a.xz - b.xz), std::abs(a.yy - b.yy),
                   std::abs(a.yz - b.yz), std::abs(a.zz - b.zz)});
}

Vec3 random_point(Random& random) { return {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}; }

Frame random_frame(Random& random) { return frame_from(random_point(random), random_point(random)); }

PointArrays arrays_of(const std::vector<Vec3>& points) {
  std::vector<uint32_t> ids(points.size());
  std::iota(ids.begin(), ids.end(), 0u);
  PointArrays arrays;
  arrays.assign(points, ids);
  return arrays;
}

CostModel only(Kind kind) {
  CostModel model{{}, {1, 1, 1, 1, 1, 1}, 0, 1e-9};
  model.kinds[static_cast<size_t>(kind)] = true;
  return model;
}

}  // namespace

TEST(operator_of_a_quad_follows_the_paper) {
  Random random(1);
  const std::vector<uint32_t> face = {0, 1, 2, 3};
  for (int round = 0; round < 100; ++round) {
    const std::vector<Vec3> p = {random_point(random), random_point(random), random_point(random),
                                 random_point(random)};
    const Vec3 twice_area = cross(p[2] - p[0], p[3] - p[1]);
    const double area = 0.5 * norm(twice_area);
    const Vec3 normal = normalized(twice_area), tangent = normalized((p[0] - p[2]) + (p[1] - p[3]));
    const FaceOperator op = face_operator(p, face);
    CHECK(largest_difference(op.normal, Sym3::outer(normal, area)) <= 1e-12);
    CHECK(largest_difference(op.tangent, Sym3::outer(tangent, area)) <= 1e-12);
    CHECK_NEAR(op.normal.trace(), area, 1e-12);
  }
}

// A triangle counts as half of the quad whose diagonal is its longest edge: with edges sorted by length and oriented
// head to tail, t = (e0 - e1 + e2) / 2, up to its sign.
TEST(operator_of_a_triangle_follows_the_paper) {
  Random random(2);
  const std::vector<uint32_t> face = {0, 1, 2};
  for (int round = 0; round < 100; ++round) {
    const std::vector<Vec3> p = {random_point(random), random_point(random), random_point(random)};
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

TEST(edge_frame_of_half_a_rectangle_has_its_sides_as_axes) {
  const std::vector<Vec3> vertices = {{0, 0, 0}, {3, 0, 0}, {3, 2, 0}, {0, 2, 0}, {0.1, 1, 0}};
  const std::vector<uint32_t> indices = {0, 2, 3, 0, 3, 4}, offsets = {0, 3, 6};
  const std::vector<uint32_t> faces = {0, 1};
  const Frame frame = edge_frame({vertices, indices, offsets}, faces);
  for (const Vec3& side : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
    CHECK(std::any_of(frame.axis, frame.axis + 3,
                      [&](const Vec3& axis) { return std::abs(dot(axis, side)) > 1 - 1e-12; }));
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

TEST(eigen3_takes_known_matrices_apart) {
  Random random(4);
  const double values[][3] = {
      {1, 2, 3}, {0, 0, 5}, {0, 0, 0}, {2, 2, 2}, {1e-12, 1, 1}, {-3, 1e-8, 4}, {1e-200, 2e-200, 3e-200}};
  for (int round = 0; round < 50; ++round) {
    for (const auto& value : values) {
      const Frame frame = round == 0 ? Frame{} : random_frame(random);
      Sym3 matrix;
      for (int k = 0; k < 3; ++k) matrix = matrix + Sym3::outer(frame.axis[k], value[k]);
      const Eigen3 found = eigen3(matrix);
      const double scale = std::max(std::abs(value[0]), std::abs(value[2]));
      Sym3 again;
      for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(found.value[k], value[k], 1e-14 * scale);
        again = again + Sym3::outer(found.vectors.axis[k], found.value[k]);
        for (int j = 0; j < 3; ++j)
          CHECK_NEAR(dot(found.vectors.axis[k], found.vectors.axis[j]), k == j ? 1.0 : 0.0, 1e-14);
      }
      CHECK(largest_difference(matrix, again) <= 1e-14 * scale);
      CHECK(dot(cross(found.vectors.axis[0], found.vectors.axis[1]), found.vectors.axis[2]) > 0);
    }
  }
}

// A solid box has the second moments volume x side^2 / 12.
TEST(box_proxy_is_exact_for_a_filled_box) {
  Random random(5);
  for (int round = 0; round < 50; ++round) {
    const Vec3 side = {random.uniform(0.1, 3), random.uniform(0.1, 3), random.uniform(0.1, 3)};
    const double solid = side.x * side.y * side.z;
    const Frame frame = random_frame(random);
    Moments moments{solid, random_point(random), {}};
    for (int k = 0; k < 3; ++k)
      moments.second = moments.second + Sym3::outer(frame.axis[k], solid * side[k] * side[k] / 12);
    CHECK_NEAR(box_proxy(moments, 0), solid, 1e-9 * solid);
    CHECK(box_proxy(moments, 0.1) > solid);
  }
}

TEST(moments_add_up_and_match_a_fine_sum) {
  Random random(6);
  for (int round = 0; round < 20; ++round) {
    const std::vector<Vec3> p = {random_point(random), random_point(random), random_point(random)};
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

// Brute force: all slopes on a fine grid, the radius at mid height from the points.
TEST(frustum_is_as_good_as_a_search_over_slopes) {
  Random random(7);
  const CostModel model = only(Kind::frustum);
  for (int round = 0; round < 60; ++round) {
    std::vector<Vec3> points;
    const double lean = random.uniform(-0.9, 0.9);
    for (int k = 0; k < 40; ++k) {
      const double x = random.uniform(-2, 2), angle = random.uniform(0, 2 * kPi);
      const double r = (1 + lean * x / 2) * std::sqrt(random.uniform());
      points.push_back({x, r * std::cos(angle), r * std::sin(angle)});
    }
    points.push_back({-2, 0, 0});
    points.push_back({2, 0, 0});
    Fitter fitter(model);
    fitter.points = arrays_of(points);
    // Tests the chosen axis: the other two must not give a better result.
    const Frame frames[] = {Frame{}};
    const Fitted fitted = fitter.cheapest(frames);
    CHECK(fitted.kind == Kind::frustum);
    const Shape shape = to_shape(fitted);
    std::vector<double> out(points.size());
    signed_distance(shape, points, out);
    CHECK(*std::max_element(out.begin(), out.end()) <= 1e-9);

    const Vec3 axis = fitted.frame.axis[0];
    const double h = fitted.size[0];
    double best = Bounds::kInfinity;
    for (int step = -2000; step <= 2000; ++step) {
      const double s = 4.0 * step / 2000;
      double a = 0;
      for (const Vec3& p : points) {
        const Vec3 local = p - fitted.center;
        const double y = dot(local, axis);
        a = std::max(a, norm(local - axis * y) - s * y);
      }
      const double low = a - s * h, high = a + s * h;
      if (low < 0 || high < 0) continue;
      best = std::min(best, 2 * h * kPi / 3 * (low * low + low * high + high * high));
    }
    CHECK(volume(shape) <= best * (1 + 1e-3));
  }
}

TEST(prism_is_as_good_as_a_search_over_slopes_and_orders) {
  Random random(8);
  const CostModel model = only(Kind::prism);
  for (int round = 0; round < 60; ++round) {
    std::vector<Vec3> points;
    const double lean = random.uniform(-0.9, 0.9);
    for (int k = 0; k < 40; ++k) {
      const double y = random.uniform(-1, 1);
      points.push_back({random.uniform(-1.5, 1.5), y, (1 + lean * y) * random.uniform(-1, 1)});
    }
    Fitter fitter(model);
    fitter.points = arrays_of(points);
    const Frame frames[] = {Frame{}};
    const Shape shape = to_shape(fitter.cheapest(frames));
    std::vector<double> out(points.size());
    signed_distance(shape, points, out);
    CHECK(*std::max_element(out.begin(), out.end()) <= 1e-9);

    Bounds box;
    for (const Vec3& p : points) box.add(p);
    double best = Bounds::kInfinity;
    for (int x = 0; x < 3; ++x)
      for (int turn = 1; turn <= 2; ++turn) {
        const int y = (x + turn) % 3, z = (x + 3 - turn) % 3;
        const double hy = box.size()[y] / 2, mid = box.center()[y];
        for (int step = -1000; step <= 1000; ++step) {
          const double s = 3.0 * step / 1000;
          double a = -Bounds::kInfinity, b = a;
          for (const Vec3& p : points) {
            a = std::max(a, p[z] - s * (p[y] - mid));
            b = std::max(b, -p[z] - s * (p[y] - mid));
          }
          const double mean = (a + b) / 2;
          if (mean < std::abs(s) * hy) continue;
          best = std::min(best, 4 * box.size()[x] / 2 * hy * 2 * mean);
        }
      }
    CHECK(volume(shape) <= best * (1 + 1e-3));
  }
}

TEST(every_kind_encloses_its_points_in_any_frame) {
  Random random(9);
  for (int round = 0; round < 200; ++round) {
    const auto kind = static_cast<Kind>(round % kPrimitiveCount);
    const CostModel model = only(kind);
    std::vector<Vec3> points;
    const Vec3 stretch = {std::pow(10, random.uniform(-6, 1)), std::pow(10, random.uniform(-6, 1)), 1};
    for (uint64_t k = 1 + random.below(30); k > 0; --k) {
      const Vec3 p = random_point(random);
      points.push_back({p.x * stretch.x, p.y * stretch.y, p.z * stretch.z});
    }
    Fitter fitter(model);
    fitter.points = arrays_of(points);
    const Frame frames[] = {random_frame(random), Frame{}};
    for (const Fitted& fitted : {fitter.cheapest(frames), fitter.cheapest_of_all(frames)}) {
      CHECK(fitted.kind == kind);
      std::vector<double> out(points.size());
      signed_distance(to_shape(fitted), points, out);
      CHECK(*std::max_element(out.begin(), out.end()) <= 1e-9);
    }
  }
}

TEST(extreme_vertices_are_few_and_touch_the_bounds) {
  Random random(10);
  for (const size_t count : {size_t{1}, kKernelCapacity, kKernelCapacity + 1, size_t{5000}}) {
    std::vector<Vec3> points;
    for (size_t k = 0; k < count; ++k) {
      const Vec3 p = random_point(random);
      points.push_back({p.x, 0.1 * p.y, 1e-3 * p.z});
    }
    std::vector<uint32_t> ids(count);
    std::iota(ids.begin(), ids.end(), 0u);
    const std::vector<uint32_t> kept = extreme_vertices(points, ids);
    CHECK(kept.size() <= kKernelCapacity);
    CHECK(std::is_sorted(kept.begin(), kept.end()));
    CHECK(std::adjacent_find(kept.begin(), kept.end()) == kept.end());
    if (count <= kKernelCapacity) CHECK(kept == ids);
    Bounds all, some;
    for (const Vec3& p : points) all.add(p);
    for (const uint32_t k : kept) some.add(points[k]);
    // The principal axes of such a long cloud are nearly those of the world.
    CHECK(norm(all.size() - some.size()) <= 0.05 * norm(all.size()));
  }
}

TEST(extreme_vertices_of_one_point_repeated) {
  const std::vector<Vec3> points(200, Vec3{1, 2, 3});
  std::vector<uint32_t> ids(points.size());
  std::iota(ids.begin(), ids.end(), 0u);
  const std::vector<uint32_t> kept = extreme_vertices(points, ids);
  CHECK(!kept.empty() && kept.size() <= kKernelCapacity);
}

// Brute force: union by relabelling.
TEST(partitions_of_a_merge_tree_match_relabelling) {
  Random random(11);
  for (int round = 0; round < 50; ++round) {
    MergeTree tree;
    tree.face_count = 1 + static_cast<uint32_t>(random.below(30));
    std::vector<uint32_t> nodes(tree.face_count);
    std::iota(nodes.begin(), nodes.end(), 0u);
    std::vector<uint32_t> label = nodes;
    std::vector<std::vector<uint32_t>> labels = {label};
    while (nodes.size() > 1) {
      const size_t i = random.below(nodes.size());
      size_t j = random.below(nodes.size() - 1);
      j += j >= i;
      const uint32_t a = nodes[i], b = nodes[j];
      const auto merged = tree.face_count + static_cast<uint32_t>(tree.merges.size());
      tree.merges.push_back({a, b, 1, false});
      for (uint32_t& l : label)
        if (l == a || l == b) l = merged;
      labels.push_back(label);
      nodes[i] = merged;
      nodes.erase(nodes.begin() + static_cast<ptrdiff_t>(j));
    }
    for (size_t applied = 0; applied <= tree.merges.size(); ++applied) {
      const Partition partition = tree.partition_after(applied);
      CHECK(partition.cluster_count == tree.clusters_after(applied));
      uint32_t next = 0;
      for (uint32_t f = 0; f < tree.face_count; ++f) {
        CHECK(partition.cluster_of_face[f] <= next);  // clusters are numbered by their first faces
        next = std::max(next, partition.cluster_of_face[f] + 1);
        for (uint32_t g = 0; g < f; ++g)
          CHECK((labels[applied][f] == labels[applied][g]) ==
                (partition.cluster_of_face[f] == partition.cluster_of_face[g]));
      }
    }
  }
}

TEST(free_merges_go_on_below_the_count) {
  MergeTree tree;
  tree.face_count = 6;
  tree.merges = {{0, 1, 1, false}, {2, 6, 2, false}, {3, 7, 0, false}, {4, 8, 5, false}};
  CHECK(tree.merges_to(100) == 0);
  CHECK(tree.merges_to(6) == 0);
  CHECK(tree.merges_to(5) == 1);
  CHECK(tree.merges_to(4) == 3);
  CHECK(tree.merges_to(3) == 3);
  CHECK(tree.merges_to(2) == 4);
  CHECK(tree.merges_to(1) == 4);  // as close as the tree gets
}

TEST(merges_that_end_in_a_shape_that_fills_nothing_are_free) {
  MergeTree tree;
  tree.face_count = 6;
  tree.merges = {{0, 1, 1, false}, {6, 2, 3, false}, {7, 3, 2, true}, {4, 5, 1, false}};
  CHECK(tree.merges_to(6) == 3);  // 0 to 3 end as a complete rectangle; 4 with 5 does not
  CHECK(tree.merges_to(5) == 3);
  CHECK(tree.merges_to(3) == 3);
  CHECK(tree.merges_to(2) == 4);
}

// A's points lie in B, and B's own lie in C, but A's do not lie in C. So B must stay for A, or A must stay.
TEST(culling_keeps_a_chain_enclosed) {
  Run run(1);
  const std::vector<Shape> shapes = {Sphere{{0, 0, 0}, 1}, Sphere{{1, 0, 0}, 2.5}, Sphere{{8, 0, 0}, 6}};
  const std::vector<std::vector<Vec3>> points = {{{-0.9, 0, 0}}, {{3, 0, 0}}, {{9, 0, 0}}};
  const std::vector<uint32_t> into = superfluous_shapes(shapes, points, {}, run);
  for (uint32_t k = 0; k < 3; ++k) {
    CHECK(into[into[k]] == into[k]);
    std::vector<double> out(1);
    signed_distance(shapes[into[k]], points[k], out);
    CHECK(out[0] <= 0);
  }
  CHECK(into[0] == 1 && into[1] == 1 && into[2] == 2);
}

TEST(culling_takes_nested_and_equal_shapes_to_one) {
  Run run(1);
  const std::vector<Shape> shapes = {Sphere{{0, 0, 0}, 1}, Sphere{{0, 0, 0}, 1}, Sphere{{0, 0, 0}, 3},
                                     Sphere{{0, 0, 0}, 2}, Sphere{{9, 0, 0}, 1}};
  const std::vector<std::vector<Vec3>> points = {{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 3}}, {{2, 0, 0}}, {{9, 0, 0}}};
  const std::vector<uint32_t> into = superfluous_shapes(shapes, points, {}, run);
  CHECK((into == std::vector<uint32_t>{2, 2, 2, 2, 4}));
}

TEST(culling_leaves_shapes_inside_one_of_another_group) {
  Run run(1);
  const std::vector<Shape> shapes = {Sphere{{0, 0, 0}, 1}, Sphere{{0, 0, 0}, 2}, Sphere{{0, 0, 0}, 3}};
  const std::vector<std::vector<Vec3>> points = {{{1, 0, 0}}, {{2, 0, 0}}, {{3, 0, 0}}};
  const std::vector<uint32_t> group = {5, 9, 5};
  CHECK((superfluous_shapes(shapes, points, group, run) == std::vector<uint32_t>{2, 1, 2}));
}

TEST(culling_never_uncovers_a_point) {
  Run run(1);
  Random random(12);
  for (int round = 0; round < 200; ++round) {
    std::vector<Shape> shapes;
    std::vector<std::vector<Vec3>> points;
    for (uint64_t k = 2 + random.below(10); k > 0; --k) {
      const Sphere sphere{random_point(random), random.uniform(0.1, 1.5)};
      shapes.push_back(sphere);
      points.emplace_back();
      for (int j = 0; j < 3; ++j)
        points.back().push_back(sphere.center + normalized(random_point(random)) * (0.99 * sphere.radius));
    }
    const std::vector<uint32_t> into = superfluous_shapes(shapes, points, {}, run);
    for (size_t k = 0; k < shapes.size(); ++k) {
      CHECK(into[into[k]] == into[k]);
      std::vector<double> out(3);
      signed_distance(shapes[into[k]], points[k], out);
      CHECK(*std::max_element(out.begin(), out.end()) <= 0);
    }
  }
}

TEST(the_share_of_one_shape_in_another_is_that_of_the_closed_form) {
  Random random(5);
  const Frame frame = random_frame(random);
  const Vec3 center = random_point(random);
  const auto fitted = [&](Kind kind, const Vec3& offset, std::array<double, 4> size) {
    return Fitted{kind, frame, center + frame.to_world(offset), size};
  };
  const Fitted box = fitted(Kind::box, {}, {1, 2, 3});
  constexpr size_t kMany = 40000;
  CHECK(share_inside(box, box, 1000, 0) == 1);
  CHECK(share_inside(box, fitted(Kind::box, {9, 0, 0}, {1, 2, 3}), 1000, 0) == 0);
  CHECK_NEAR(share_inside(box, fitted(Kind::box, {0.5, 1, 0}, {1, 2, 3}), kMany, 1), 0.75 * 0.75, 0.01);
  // The box contains half of every round shape whose axis lies in one of its sides.
  const Fitted rounds[] = {fitted(Kind::sphere, {0, 2, 0}, {0.5}), fitted(Kind::capsule, {0, 2, 0}, {0.3, 0.2}),
                           fitted(Kind::cylinder, {0, 2, 0}, {0.5, 0.4}),
                           fitted(Kind::frustum, {0, 2, 0}, {0.5, 0.4, 0.1})};
  for (const Fitted& round : rounds) CHECK_NEAR(share_inside(round, box, kMany, 2), 0.5, 0.02);
  const Fitted prism = fitted(Kind::prism, {1, 0, 0}, {0.4, 0.4, 0.1, 0.3});
  CHECK_NEAR(share_inside(prism, box, kMany, 3), 0.5, 0.02);
}
