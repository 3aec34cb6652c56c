#include "fit/shaping/kernel.hpp"

#include <algorithm>
#include <array>

#include "geometry/eigen3.hpp"
#include "hitbox/bounds.hpp"

namespace hitbox::internal::fit {

namespace {

// Directions to the faces, edges and corners of a cube, and twelve between, one per opposite pair. They are whole
// numbers, so they are the same on every machine. A kernel must have room for twice as many.
constexpr std::array<std::array<int, 3>, 25> kDirections = {{
    {1, 0, 0},  {0, 1, 0},   {0, 0, 1},                                        //
    {1, 1, 0},  {1, -1, 0},  {1, 0, 1},  {1, 0, -1},  {0, 1, 1},  {0, 1, -1},  //
    {1, 1, 1},  {1, 1, -1},  {1, -1, 1}, {1, -1, -1},                          //
    {2, 1, 1},  {2, 1, -1},  {2, -1, 1}, {2, -1, -1}, {1, 2, 1},  {1, 2, -1},  //
    {-1, 2, 1}, {-1, 2, -1}, {1, 1, 2},  {1, -1, 2},  {-1, 1, 2}, {-1, -1, 2},
}};
static_assert(2 * kDirections.size() <= kKernelCapacity);

}  // namespace

Frame principal_frame(std::span<const Vec3> vertices, std::span<const uint32_t> ids) {
  Vec3 mean;
  for (const uint32_t v : ids) mean += vertices[v];
  mean = mean / static_cast<double>(ids.size());
  Sym3 spread;
  for (const uint32_t v : ids) spread = spread + Sym3::outer(vertices[v] - mean, 1);
  return eigen3(spread).vectors;
}

std::vector<uint32_t> extreme_vertices(std::span<const Vec3> vertices, std::span<const uint32_t> ids) {
  std::vector<uint32_t> kept(ids.begin(), ids.end());
  if (ids.size() > kKernelCapacity) {
    const Frame frame = principal_frame(vertices, ids);
    std::vector<Vec3> local(ids.size());
    Bounds box;
    for (size_t k = 0; k < ids.size(); ++k) {
      local[k] = frame.to_local(vertices[ids[k]]);
      box.add(local[k]);
    }
    const Vec3 size = max(box.size(), Vec3{1, 1, 1} * (1e-12 * box.diagonal()));
    kept.clear();
    for (const auto& [x, y, z] : kDirections) {
      const Vec3 along{x / size.x, y / size.y, z / size.z};
      size_t lowest = 0, highest = 0;
      double low = dot(along, local[0]), high = low;
      for (size_t k = 1; k < local.size(); ++k) {
        const double height = dot(along, local[k]);
        if (height < low) low = height, lowest = k;
        if (height > high) high = height, highest = k;
      }
      kept.push_back(ids[lowest]);
      kept.push_back(ids[highest]);
    }
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
}

}  // namespace hitbox::internal::fit
