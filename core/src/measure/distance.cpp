#include "measure/distance.hpp"

#include <algorithm>
#include <numeric>

#include "base/random.hpp"
#include "geometry/morton.hpp"

namespace hitbox::internal::measure {
namespace {

constexpr size_t kBlock = 2048;

// Cumulative sums of twice the areas. Lengths are divided by `size` so that squares stay in range.
std::vector<double> cumulated_areas(std::span<const Vec3> vertices, std::span<const Triangle> triangles, double size) {
  std::vector<double> total(triangles.size());
  double sum = 0;
  for (size_t k = 0; k < triangles.size(); ++k) {
    const Vec3 &a = vertices[triangles[k][0]], &b = vertices[triangles[k][1]], &c = vertices[triangles[k][2]];
    total[k] = sum += norm(cross((b - a) / size, (c - a) / size));
  }
  return total;
}

}  // namespace

SurfaceSamples sample_surface(std::span<const Vec3> vertices, std::span<const Triangle> triangles, size_t count,
                              uint64_t seed) {
  Bounds bounds;
  for (const Triangle& t : triangles)
    for (const uint32_t v : t) bounds.add(vertices[v]);
  const double size = max_component(bounds.size());
  std::vector<double> total = cumulated_areas(vertices, triangles, size > 0 ? size : 1);
  if (!total.empty() && !(total.back() > 0)) std::iota(total.begin(), total.end(), 1.0);

  SurfaceSamples samples;
  samples.points.resize(count);
  samples.triangles.resize(count);
  Random random(seed);
  size_t t = 0;
  for (size_t k = 0; k < count; ++k) {
    const double at = (static_cast<double>(k) + random.uniform()) / static_cast<double>(count);
    while (t + 1 < total.size() && total[t] <= at * total.back()) ++t;
    // The last triangles may have no area, so step back to the one that completed the sum.
    size_t on = t;
    while (on > 0 && total[on] == total[on - 1]) --on;
    double u = random.uniform(), v = random.uniform();
    if (u + v > 1) {
      u = 1 - u;
      v = 1 - v;
    }
    const Vec3 &a = vertices[triangles[on][0]], &b = vertices[triangles[on][1]], &c = vertices[triangles[on][2]];
    samples.points[k] = a * (1 - u - v) + b * u + c * v;
    samples.triangles[k] = static_cast<uint32_t>(on);
  }
  return samples;
}

MeshDistances distances_to_mesh(std::span<const Vec3> queries, const MeshView& mesh, Run& run) {
  run.enter("tree", 0, 0.2);
  const TriangleBvh tree(mesh, run);
  const std::vector<uint32_t> order = morton_order(queries);
  MeshDistances result;
  result.distances.resize(queries.size());
  result.points.resize(queries.size());
  result.triangles.resize(queries.size());
  run.enter("distances", 0.2, 1);
  run.for_each_block(queries.size(), kBlock, [&](size_t first, size_t last, size_t) {
    uint32_t guess = Bvh::kNone;
    for (size_t k = first; k < last; ++k) {
      const uint32_t query = order[k];
      const TriangleBvh::Closest closest = tree.closest(queries[query], Bounds::kInfinity, guess);
      guess = closest.triangle;
      result.distances[query] = std::sqrt(closest.distance_sq);
      result.points[query] = closest.point;
      result.triangles[query] = closest.triangle;
    }
  });
  return result;
}

}  // namespace hitbox::internal::measure
