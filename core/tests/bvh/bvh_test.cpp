#include "bvh/bvh.hpp"

#include "base/random.hpp"
#include "geometry/triangle.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::bvh;

namespace {

// Triangles of sizes 1e-6 to 1, some without area, some repeated.
TriangleMesh soup(size_t count, uint64_t seed) {
  Random random(seed);
  const auto point = [&] { return Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}; };
  TriangleMesh mesh;
  for (uint32_t k = 0; k < count; ++k) {
    const double size = std::pow(10, random.uniform(-6, 0));
    const Vec3 center = point();
    for (int c = 0; c < 3; ++c) mesh.vertices.push_back(center + point() * size);
    mesh.triangles.push_back({3 * k, 3 * k + 1, 3 * k + 2});
    if (k % 10 == 1) mesh.triangles.back() = {3 * k, 3 * k, 3 * k + 1};
    if (k % 10 == 2) mesh.triangles.back() = {3 * k, 3 * k, 3 * k};
    if (k % 10 == 3) mesh.triangles.back() = mesh.triangles[k - 3];
  }
  return mesh;
}

std::vector<Bounds> boxes_of(const TriangleMesh& mesh) {
  std::vector<Bounds> boxes;
  for (const Triangle& t : mesh.triangles) {
    Bounds box;
    for (const uint32_t v : t) box.add(mesh.vertices[v]);
    boxes.push_back(box);
  }
  return boxes;
}

}  // namespace

TEST(tree_holds_every_item_once_for_any_thread_count) {
  const std::vector<Bounds> boxes = boxes_of(soup(40000, 1));
  Run one(1), three(3);
  const Bvh a(boxes, one), b(boxes, three);
  CHECK(std::equal(a.order().begin(), a.order().end(), b.order().begin(), b.order().end()));
  CHECK(a.nodes().size() == b.nodes().size());
  std::vector<int> seen(boxes.size());
  a.each_leaf([](const Bvh::Node&, bool out[4]) { std::fill(out, out + 4, true); },
              [&](uint32_t first, uint32_t count) {
                for (const uint32_t item : a.order().subspan(first, count)) ++seen[item];
              });
  CHECK(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
}

TEST(equal_boxes_do_not_make_a_deep_tree) {
  Run run(1);
  const BoxBvh tree(std::vector<Bounds>(50000, Bounds{{0, 0, 0}, {1, 1, 1}}), run);
  size_t touched = 0;
  tree.overlaps({{1, 1, 1}, {2, 2, 2}}, [&](uint32_t) { ++touched; });
  CHECK(touched == 50000);
  std::vector<Bounds> growing;  // doubling sizes, the worst case for splits by area
  for (int k = 0; k < 190; ++k) growing.push_back({{0, 0, 0}, Vec3{1, 1, 1} * std::ldexp(1, k - 95)});
  const BoxBvh chain(growing, run);
  CHECK(chain.nearest_boxes({{-1, -1, -1}, {-1, -1, -1}}, 190, [](uint32_t) { return false; }).size() == 190);
}

TEST(closest_agrees_with_brute_force) {
  Random random(2);
  Run run(2);
  for (const size_t count : {1u, 3u, 7u, 500u}) {
    const TriangleMesh mesh = soup(count, count);
    const TriangleBvh tree(mesh.vertices, mesh.triangles, run);
    uint32_t guess = Bvh::kNone;
    for (int k = 0; k < 300; ++k) {
      const Vec3 p{random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)};
      TriangleBvh::Closest best;
      for (uint32_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto [a, b, c] = mesh.triangles[t];
        const Vec3 q = closest_point_on_triangle(p, mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]);
        if (norm_sq(p - q) < best.distance_sq) best = {norm_sq(p - q), t, q};
      }
      const auto found = tree.closest(p);
      CHECK(found.distance_sq == best.distance_sq && found.triangle == best.triangle);
      CHECK(tree.closest(p, Bounds::kInfinity, guess).triangle == best.triangle);
      CHECK(tree.closest(p, best.distance_sq * 0.99).triangle == Bvh::kNone);
      guess = best.triangle;
    }
  }
}

TEST(nearest_boxes_and_overlaps_agree_with_brute_force) {
  Random random(3);
  Run run(1);
  const BoxBvh tree(boxes_of(soup(700, 5)), run);
  for (int k = 0; k < 200; ++k) {
    const Vec3 low{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    const Bounds box{low, low + Vec3{1, 1, 1} * random.uniform(0, 0.2)};
    const auto skip = [](uint32_t item) { return item % 7 == 0; };
    std::vector<BoxBvh::Near> all;
    std::vector<uint32_t> touching, visited;
    for (uint32_t item = 0; item < tree.boxes().size(); ++item) {
      const double d = distance_sq(tree.boxes()[item], box);
      if (!skip(item)) all.push_back({d, item});
      if (d == 0) touching.push_back(item);
    }
    std::sort(all.begin(), all.end());
    all.resize(9);
    CHECK(tree.nearest_boxes(box, 9, skip) == all);
    tree.overlaps(box, [&](uint32_t item) { visited.push_back(item); });
    std::sort(visited.begin(), visited.end());
    CHECK(visited == touching);
  }
}

TEST(rays_through_a_closed_surface_hit_and_never_slip_through_edges) {
  TriangleMesh box;
  for (int k = 0; k < 8; ++k) box.vertices.push_back({k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0});
  box.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                   {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  Run run(1);
  const TriangleBvh tree(box.vertices, box.triangles, run);
  Random random(4);
  for (int k = 0; k < 3000; ++k) {
    Vec3 direction{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    if (k % 3 == 0) direction.x = direction.y;               // through diagonals
    if (k % 3 == 1) direction = {0, 0, k % 2 ? 1.0 : -1.0};  // along an axis
    const auto hit = tree.first_hit({{0, 0, 0}, direction});
    CHECK_NEAR(hit.t * max_component(abs(direction)), 1, 1e-14);
    CHECK(tree.any_hit({{0, 0, 0}, direction}));
    CHECK(!tree.any_hit({{0, 0, 0}, direction}, hit.t * 0.999));
    CHECK(!tree.any_hit({direction * (2 / max_component(abs(direction))), direction}));
  }
  CHECK(tree.hit_count({{0.3, 0.1, -5}, {0, 0, 1}}) == 2);
  CHECK(tree.hit_count({{0.3, 0.1, 0}, {0, 0, 1}}) == 1);
  CHECK(tree.hit_count({{3, 0.1, 0}, {0, 0, 1}}) == 0);
}

TEST(an_empty_tree_answers) {
  Run run(1);
  const TriangleBvh tree(std::vector<Vec3>{}, std::vector<Triangle>{}, run);
  CHECK(tree.closest({0, 0, 0}).triangle == Bvh::kNone);
  CHECK(!tree.any_hit({{0, 0, 0}, {1, 0, 0}}));
}
