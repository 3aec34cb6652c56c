// Merging: every input shape lies in an output shape, and limits hold.
#include "merge/merge.hpp"

#include <algorithm>

#include "tests/check.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::merge;

namespace {

double distance_of(const Shape& shape, const Vec3& p) {
  double distance = 0;
  signed_distance(shape, {&p, 1}, {&distance, 1});
  return distance;
}

std::vector<Shape> random_shapes(Random& random, size_t count, double spread) {
  std::vector<Shape> shapes;
  for (size_t k = 0; k < count; ++k) {
    const Shape shape = tests::random_shape(random, static_cast<Kind>(random.below(7)));
    shapes.push_back(transformed(shape, {{}, tests::random_point(random, spread), 0.4}));
  }
  return shapes;
}

Bounds bounds_of_all(std::span<const Shape> shapes) {
  Bounds all;
  for (const Shape& shape : shapes) all.add(bounds(shape));
  return all;
}

// Every shape is in exactly one merged shape, completely. A shape that was not merged is unchanged.
void check_merged(const MergeResult& merged, std::span<const Shape> given, Random& random) {
  std::vector<int> uses(given.size());
  const double size = bounds_of_all(given).diagonal();
  for (size_t k = 0; k < merged.shapes.size(); ++k) {
    for (const uint32_t which : merged.from[k]) {
      ++uses[which];
      const Bounds box = bounds(given[which]);
      for (int s = 0; s < 60; ++s) {
        const double x = random.uniform(), y = random.uniform();
        const Vec3 p = box.low + Vec3{x * box.size().x, y * box.size().y, random.uniform() * box.size().z};
        if (distance_of(given[which], p) <= 0) CHECK(distance_of(merged.shapes[k], p) <= 1e-9 * size);
      }
    }
    if (merged.from[k].size() == 1) CHECK(merged.shapes[k].index() == given[merged.from[k][0]].index());
  }
  CHECK(std::all_of(uses.begin(), uses.end(), [](int count) { return count == 1; }));
}

double total_volume(const MergeResult& merged) {
  double sum = 0;
  for (const Shape& shape : merged.shapes) sum += volume(shape);
  return sum;
}

}  // namespace

TEST(merge_holds_what_was_given) {
  Random random(1);
  Run run(2);
  int fewer = 0;
  for (int k = 0; k < 14; ++k) {
    const std::vector<Shape> given = random_shapes(random, 12, 1.2);
    const double size = bounds_of_all(given).diagonal();
    MergeOptions options;
    options.tolerance = 0.03 * size;
    options.distance = 0.05 * size;
    options.hulls_only = k % 2 != 0;
    const MergeResult merged = merge_shapes(given, options, run);
    check_merged(merged, given, random);
    fewer += merged.shapes.size() < given.size();
  }
  CHECK(fewer > 10);
}

TEST(merge_goes_down_to_a_count) {
  Random random(2);
  Run run(1);
  for (const uint32_t count : {1u, 2u, 5u}) {
    const std::vector<Shape> given = random_shapes(random, 11, 3);
    MergeOptions options;
    options.tolerance = 0.02 * bounds_of_all(given).diagonal();
    options.distance = options.tolerance;
    options.count = count;
    const MergeResult merged = merge_shapes(given, options, run);
    CHECK(merged.shapes.size() <= count && merged.shapes.size() >= 1);
    check_merged(merged, given, random);
  }
}

TEST(merge_leaves_a_space_open) {
  Random random(3);
  Run run(1);
  int refused = 0;
  for (int k = 0; k < 8; ++k) {
    const std::vector<Shape> given = random_shapes(random, 10, 1);
    const double size = bounds_of_all(given).diagonal();
    MergeOptions options;
    options.tolerance = 0.02 * size;
    options.distance = size;
    options.space.emplace();
    std::vector<Sphere>& spheres = options.space->spheres;
    const size_t alone = merge_shapes(given, options, run).shapes.size();
    for (int tries = 0; tries < 2000 && spheres.size() < 12; ++tries) {
      const Vec3 p = tests::random_point(random, 1);
      double room = Bounds::kInfinity;
      for (const Shape& shape : given) room = std::min(room, distance_of(shape, p));
      if (room > 0.05) spheres.push_back({p, 0.8 * room});
    }
    const MergeResult merged = merge_shapes(given, options, run);
    check_merged(merged, given, random);
    refused += merged.shapes.size() > alone;
    for (const Shape& shape : merged.shapes)
      for (const Sphere& s : spheres) CHECK(distance_of(shape, s.center) >= s.radius - 1e-6 * size);
  }
  CHECK(refused > 4);
}

TEST(merge_two_halves_of_a_box_is_the_box) {
  const std::vector<Shape> halves = {Box{{-0.5, 0, 0}, {}, {0.5, 0.3, 0.2}}, Box{{0.5, 0, 0}, {}, {0.5, 0.3, 0.2}}};
  Run run(1);
  MergeOptions options;
  options.tolerance = 0.01;
  options.distance = options.tolerance;
  const MergeResult merged = merge_shapes(halves, options, run);
  CHECK(merged.shapes.size() == 1 && std::holds_alternative<Box>(merged.shapes[0]));
  CHECK_NEAR(total_volume(merged), 8 * 1 * 0.3 * 0.2, 1e-6);
  options.hulls_only = true;
  CHECK(std::holds_alternative<Hull>(merge_shapes(halves, options, run).shapes[0]));
}

TEST(merge_shapes_that_are_far_apart_stay_as_they_are) {
  const std::vector<Shape> shapes = {Sphere{{0, 0, 0}, 1}, Sphere{{5, 0, 0}, 1}, Sphere{{0.1, 0, 0}, 0.5}};
  Run run(1);
  MergeOptions options;
  options.tolerance = 0.05;
  options.distance = options.tolerance;
  const MergeResult merged = merge_shapes(shapes, options, run);
  CHECK(merged.shapes.size() == 2);
  CHECK((merged.from[0] == std::vector<uint32_t>{0, 2}));
  CHECK(std::get<Sphere>(merged.shapes[0]).radius == 1);
}
