#include "link.hpp"

#include <algorithm>
#include <utility>

#include "../bvh/bvh.hpp"

namespace hitbox {

namespace {

constexpr double kCentreShare = 1e-3;  // how much the centres' distance counts beside the gap

// The low 21 bits of `v`, two zeros between each.
uint64_t spread_bits(uint64_t v) {
  v &= 0x1fffff;
  v = (v | v << 32) & 0x1f00000000ffffu;
  v = (v | v << 16) & 0x1f0000ff0000ffu;
  v = (v | v << 8) & 0x100f00f00f00f00fu;
  v = (v | v << 4) & 0x10c30c30c30c30c3u;
  return (v | v << 2) & 0x1249249249249249u;
}

// `shift` in [0, 1) moves the curve's cells, so that two curves do not share their jumps.
std::vector<std::pair<uint64_t, uint32_t>> curve_order(std::span<const Vec3> points, double shift) {
  const Bounds box = bounds_of(points);
  const double longest = max_component(box.size());
  const double scale = longest > 0 ? (1 << 20) / longest : 0;
  std::vector<std::pair<uint64_t, uint32_t>> order(points.size());
  for (uint32_t k = 0; k < order.size(); ++k) {
    const Vec3 cell = (points[k] - box.low) * scale + Vec3{1, 1, 1} * (shift * (1 << 20));
    order[k] = {spread_bits(static_cast<uint64_t>(cell.x)) |
                    spread_bits(static_cast<uint64_t>(cell.y)) << 1 |
                    spread_bits(static_cast<uint64_t>(cell.z)) << 2,
                k};
  }
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

std::vector<FacePair> link_along_curve(std::span<const Vec3> points) {
  std::vector<FacePair> links;
  links.reserve(points.size() * 4);
  for (const double shift : {0.0, 0.3}) {
    const auto order = curve_order(points, shift);
    for (size_t step : {1, 2}) {
      for (size_t k = 0; k + step < order.size(); ++k) {
        const auto [low, high] = std::minmax({order[k].second, order[k + step].second});
        links.push_back({low, high});
      }
    }
  }
  return links;
}

std::vector<FacePair> link_nearest(std::span<const Bounds> boxes, std::span<const uint32_t> group,
                                   size_t neighbours, Run& run) {
  const BoxBvh tree({boxes.begin(), boxes.end()}, run);
  std::vector<std::vector<FacePair>> found(boxes.size());
  run.for_each_block(boxes.size(), 256, [&](size_t first, size_t last, size_t) {
    for (size_t k = first; k < last; ++k) {
      const auto same_group = [&](uint32_t other) { return group[other] == group[k]; };
      // Boxes that overlap all have gap 0: ask for more, and let the centres decide among them.
      std::vector<BoxBvh::Near> near = tree.nearest_boxes(boxes[k], 4 * neighbours, same_group);
      for (BoxBvh::Near& n : near)
        n.distance_sq = std::sqrt(n.distance_sq) +
                        kCentreShare * norm(boxes[k].center() - boxes[n.item].center());
      std::sort(near.begin(), near.end());
      near.resize(std::min(near.size(), neighbours));
      for (const BoxBvh::Near& n : near) {
        const auto [low, high] = std::minmax({static_cast<uint32_t>(k), n.item});
        found[k].push_back({low, high});
      }
    }
  });
  std::vector<FacePair> links;
  for (const auto& pairs : found) links.insert(links.end(), pairs.begin(), pairs.end());
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

}  // namespace hitbox
