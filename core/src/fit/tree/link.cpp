#include "fit/tree/link.hpp"

#include <algorithm>
#include <utility>

#include "bvh/bvh.hpp"
#include "geometry/morton.hpp"

namespace hitbox::internal::fit {

namespace {

constexpr double kCentreShare = 1e-3;  // weight of the centres' distance beside the gap

// Finds the boxes of other groups nearest to a box. Whole subtrees of the box's own group are skipped; otherwise two
// adjacent parts would search all of themselves first.
class OtherGroups {
 public:
  OtherGroups(std::span<const Bounds> boxes, std::span<const uint32_t> group, Run& run)
      : boxes_(boxes), group_(group), tree_(boxes, run), only_(4 * tree_.nodes().size(), kMixed) {
    // Children come after their parents, so a backward pass knows them in time.
    for (size_t node = tree_.nodes().size(); node-- > 0;)
      for (size_t child = 0; child < 4; ++child) only_[4 * node + child] = only_group(node, child);
  }

  std::vector<uint32_t> nearest(uint32_t box, size_t count) const {
    struct Near {
      double distance;
      uint32_t item;
      auto operator<=>(const Near&) const = default;
    };
    std::vector<Near> near;  // ascending
    // Overlapping boxes have gap 0, so the centres decide among them.
    const auto distance = [&](uint32_t item) {
      return std::sqrt(distance_sq(boxes_[item], boxes_[box])) +
             kCentreShare * norm(boxes_[item].center() - boxes_[box].center());
    };
    tree_.nearest_first(
        [&](const Bvh::Node& node, double out[4]) {
          child_distances_sq(node, boxes_[box], out);
          const auto index = static_cast<size_t>(&node - tree_.nodes().data());
          for (size_t k = 0; k < 4; ++k)
            if (only_[4 * index + k] == group_[box]) out[k] = Bounds::kInfinity;
        },
        [&] { return near.size() < count ? Bounds::kInfinity : near.back().distance * near.back().distance; },
        [&](uint32_t first, uint32_t size) {
          for (const uint32_t item : tree_.order().subspan(first, size)) {
            if (group_[item] == group_[box]) continue;
            const Near candidate{distance(item), item};
            near.insert(std::upper_bound(near.begin(), near.end(), candidate), candidate);
            if (near.size() > count) near.pop_back();
          }
        });
    std::vector<uint32_t> items;
    for (const Near& n : near) items.push_back(n.item);
    return items;
  }

 private:
  static constexpr uint32_t kMixed = UINT32_MAX;

  // The only group below this child, or kMixed.
  uint32_t only_group(size_t node, size_t child) const {
    const Bvh::Node& n = tree_.nodes()[node];
    if (n.first[child] == Bvh::kNone) return kMixed;
    const auto same = [](auto first, auto last) {
      return std::all_of(first, last, [&](uint32_t g) { return g == *first; }) ? *first : kMixed;
    };
    std::vector<uint32_t> groups;
    if (n.count[child] > 0) {
      for (const uint32_t item : tree_.order().subspan(n.first[child], n.count[child])) groups.push_back(group_[item]);
    } else {
      const Bvh::Node& below = tree_.nodes()[n.first[child]];
      for (size_t k = 0; k < 4; ++k)
        if (below.first[k] != Bvh::kNone) groups.push_back(only_[4 * n.first[child] + k]);
    }
    return same(groups.begin(), groups.end());
  }

  std::span<const Bounds> boxes_;
  std::span<const uint32_t> group_;
  Bvh tree_;
  std::vector<uint32_t> only_;  // group per child of a node
};

}  // namespace

std::vector<FacePair> link_along_curve(std::span<const Vec3> points, std::span<const uint32_t> group) {
  const auto group_of = [&](uint32_t point) { return group.empty() ? 0 : group[point]; };
  std::vector<FacePair> links;
  links.reserve(points.size() * 2);
  for (const double shift : {0.0, 0.3}) {
    std::vector<uint32_t> order = morton_order(points, shift);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return group_of(a) < group_of(b); });
    for (size_t k = 1; k < order.size(); ++k) {
      if (group_of(order[k - 1]) != group_of(order[k])) continue;
      const auto [low, high] = std::minmax({order[k - 1], order[k]});
      links.push_back({low, high});
    }
  }
  return links;
}

std::vector<FacePair> link_nearest(std::span<const Bounds> boxes, std::span<const uint32_t> group, size_t neighbours,
                                   Run& run) {
  if (std::equal(group.begin() + 1, group.end(), group.begin())) return {};
  const OtherGroups others(boxes, group, run);
  std::vector<std::vector<FacePair>> found(boxes.size());
  run.for_each_block(boxes.size(), 256, [&](size_t first, size_t last, size_t) {
    for (auto k = static_cast<uint32_t>(first); k < last; ++k)
      for (const uint32_t other : others.nearest(k, neighbours)) {
        const auto [low, high] = std::minmax({k, other});
        found[k].push_back({low, high});
      }
  });
  std::vector<FacePair> links;
  for (const auto& pairs : found) links.insert(links.end(), pairs.begin(), pairs.end());
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

}  // namespace hitbox::internal::fit
