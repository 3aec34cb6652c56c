// Compares spheres in bins with a test of all spheres.
#include "hulls/sphere_bins.hpp"

#include "tests/check.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::hulls;

namespace {

std::vector<Vec3> random_points(Random& random, size_t count, const Vec3& around, double size) {
  std::vector<Vec3> points;
  for (size_t k = 0; k < count; ++k) points.push_back(around + tests::random_point(random, size));
  return points;
}

bool is_entered(std::span<const Sphere> spheres, const PartHull& hull) {
  for (const Sphere& s : spheres)
    if (hull.distance(s.center) < s.radius - SphereBins::kTouching) return true;
  return false;
}

}  // namespace

TEST(space_bins_of_spheres_miss_none) {
  Random random(1);
  for (const size_t count : {1, 7, 300, 3000}) {
    std::vector<Sphere> spheres;
    for (size_t k = 0; k < count; ++k)
      spheres.push_back({tests::random_point(random, 1), random.uniform(0.001, count > 1000 ? 0.1 : 0.4)});
    const SphereBins bins(spheres);
    CHECK(bins.spheres().size() == count);
    int entered = 0, seen = 0;
    for (int k = 0; k < 300; ++k) {
      PartHull hull = part_hull(
          random_points(random, k % 3 == 0 ? 100 : 12, tests::random_point(random, 1.2), random.uniform(0.001, 0.2)),
          0);
      const bool expected = is_entered(spheres, hull);
      CHECK(bins.entered_by(hull) == expected);
      CHECK(bins.entered_by(hull) == expected);  // its memory of the last hulls does not change the result
      if (bins.is_seen_entered_by(hull)) CHECK(expected);
      entered += expected;
      seen += bins.is_seen_entered_by(hull);
    }
    CHECK(entered < 300 && (count < 300 || (entered > 10 && seen > 0)));
  }
}

TEST(space_bins_let_hulls_touch) {
  const SphereBins bins({{{0, 0, 0}, 1}, {{10, 0, 0}, 0.5}});
  const auto box_from = [](double x) {
    return part_hull(std::vector<Vec3>{{x, -1, -1}, {x, 1, -1}, {x, -1, 1}, {x, 1, 1}, {x + 2, 0, 0}}, 0);
  };
  PartHull touching = box_from(1), inside = box_from(1 - 1e-6), far = box_from(5);
  CHECK(!bins.entered_by(touching) && bins.entered_by(inside) && !bins.entered_by(far));
  PartHull around = part_hull(
      std::vector<Vec3>{{9, -1, -1}, {11, -1, -1}, {9, 1, -1}, {11, 1, -1}, {9, -1, 1}, {11, -1, 1}, {10, 1, 1}}, 0);
  CHECK(bins.entered_by(around));  // contains the whole sphere
  CHECK(!SphereBins({}).entered_by(around));
}
