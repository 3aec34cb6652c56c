#include "bvh/pairs.hpp"

#include <algorithm>

namespace hitbox::internal::bvh {

using geometry::TrianglePair;

namespace {

std::vector<Vec3> triangles_in(std::span<const Vec3> corners, const Bounds& box) {
  std::vector<Vec3> kept;
  for (size_t k = 0; k + 2 < corners.size(); k += 3)
    if (const auto triangle = corners.subspan(k, 3); pairs::do_touch(bounds_of(triangle), box))
      kept.insert(kept.end(), triangle.begin(), triangle.end());
  return kept;
}

TriangleBvh tree_of(std::span<const Vec3> corners, Run& run) {
  std::vector<Triangle> triangles(corners.size() / 3);
  for (uint32_t k = 0; k < triangles.size(); ++k) triangles[k] = {3 * k, 3 * k + 1, 3 * k + 2};
  return TriangleBvh(corners, triangles, run);
}

}  // namespace

bool do_meet(const TriangleBvh& a, const TriangleBvh& b) {
  return !each_meeting_pair(a, b, [](uint32_t, uint32_t, TrianglePair) { return false; });
}

bool do_meet(std::span<const Vec3> corners_a, std::span<const Vec3> corners_b, Run& run) {
  const std::vector<Vec3> a = triangles_in(corners_a, bounds_of(corners_b));
  const std::vector<Vec3> b = triangles_in(corners_b, bounds_of(a));
  if (a.empty() || b.empty()) return false;
  return do_meet(tree_of(a, run), tree_of(b, run));
}

std::vector<CrossingPair> self_crossings(const TriangleBvh& surface, bool touching, size_t most) {
  std::vector<CrossingPair> found;
  const TrianglePair least = touching ? TrianglePair::touch : TrianglePair::cross;
  each_leaf_pair(surface.tree(), surface.tree(),
                 [&](uint32_t first_a, uint32_t count_a, uint32_t first_b, uint32_t count_b) {
                   if (first_a > first_b) return true;  // the same pair in reverse
                   for (uint32_t i = first_a; i < first_a + count_a; ++i) {
                     const Bounds box = bounds_of(surface.corners_at(i));
                     for (uint32_t j = first_a == first_b ? i + 1 : first_b; j < first_b + count_b; ++j) {
                       if (!pairs::do_touch(box, bounds_of(surface.corners_at(j)))) continue;
                       const TrianglePair pair = geometry::relation(surface.corners_at(i), surface.corners_at(j));
                       if (pair < least) continue;
                       const auto [low, high] = std::minmax(surface.tree().order()[i], surface.tree().order()[j]);
                       found.push_back({low, high, pair});
                       if (found.size() == most) return false;
                     }
                   }
                   return true;
                 });
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace hitbox::internal::bvh
