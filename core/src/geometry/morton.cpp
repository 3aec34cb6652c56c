#include "geometry/morton.hpp"

#include <algorithm>
#include <utility>

#include "hitbox/bounds.hpp"

namespace hitbox::internal::geometry {

// The low 21 bits of `v`, two zeros between each.
static uint64_t spread_bits(uint64_t v) {
  v &= 0x1fffff;
  v = (v | v << 32) & 0x1f00000000ffffu;
  v = (v | v << 16) & 0x1f0000ff0000ffu;
  v = (v | v << 8) & 0x100f00f00f00f00fu;
  v = (v | v << 4) & 0x10c30c30c30c30c3u;
  return (v | v << 2) & 0x1249249249249249u;
}

std::vector<uint64_t> morton_codes(std::span<const Vec3> points, double shift) {
  constexpr double kCells = 1 << 20;  // a shift by one whole box still fits into 21 bits
  const Bounds box = bounds_of(points);
  const double longest = max_component(box.size());
  const double scale = longest > 0 ? kCells / longest : 0;
  std::vector<uint64_t> codes(points.size());
  for (size_t k = 0; k < codes.size(); ++k) {
    const Vec3 cell = (points[k] - box.low) * scale + Vec3{1, 1, 1} * (shift * kCells);
    codes[k] = spread_bits(static_cast<uint64_t>(cell.x)) | spread_bits(static_cast<uint64_t>(cell.y)) << 1 |
               spread_bits(static_cast<uint64_t>(cell.z)) << 2;
  }
  return codes;
}

std::vector<uint32_t> morton_order(std::span<const Vec3> points, double shift) {
  const std::vector<uint64_t> codes = morton_codes(points, shift);
  std::vector<std::pair<uint64_t, uint32_t>> keyed(points.size());
  for (uint32_t k = 0; k < keyed.size(); ++k) keyed[k] = {codes[k], k};
  std::sort(keyed.begin(), keyed.end());
  std::vector<uint32_t> order(points.size());
  for (size_t k = 0; k < order.size(); ++k) order[k] = keyed[k].second;
  return order;
}

}  // namespace hitbox::internal::geometry
