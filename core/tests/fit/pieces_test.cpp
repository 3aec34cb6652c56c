#include <numeric>

#include "base/random.hpp"
#include "fit/cost/overlap.hpp"
#include "fit/refine/cull.hpp"
#include "fit/shaping/kernel.hpp"
#include "fit/tree/leaves.hpp"
#include "fit/tree/tree.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::fit;

namespace {

Vec3 random_point(Random& random) { return {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}; }

Frame random_frame(Random& random) { return frame_from(random_point(random), random_point(random)); }

}  // namespace

TEST(edge_frame_of_half_a_rectangle_has_its_sides_as_axes) {
  const std::vector<Vec3> vertices = {{0, 0, 0}, {3, 0, 0}, {3, 2, 0}, {0, 2, 0}, {0.1, 1, 0}};
  const std::vector<uint32_t> indices = {0, 2, 3, 0, 3, 4}, offsets = {0, 3, 6};
  const std::vector<uint32_t> faces = {0, 1};
  const Frame frame = edge_frame({vertices, indices, offsets}, faces);
  for (const Vec3& side : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
    CHECK(std::any_of(frame.axis, frame.axis + 3,
                      [&](const Vec3& axis) { return std::abs(dot(axis, side)) > 1 - 1e-12; }));
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
