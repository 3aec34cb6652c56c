#include "fit/tree/medial_tree.hpp"

#include <algorithm>
#include <queue>

#include "bvh/bvh.hpp"

namespace hitbox::internal::fit {

namespace {

constexpr size_t kNeighbours = 8;

// The increase of the sum of squared distances from the centres.
double ward_price(const Moments& a, const Moments& b) {
  return a.area * b.area / (a.area + b.area) * norm_sq(a.centroid - b.centroid);
}

struct Entry {
  double price;
  uint32_t a, b;  // a < b
  friend bool operator>(const Entry& l, const Entry& r) {
    if (l.price != r.price) return l.price > r.price;
    if (l.a != r.a) return l.a > r.a;
    return l.b > r.b;
  }
};

}  // namespace

std::vector<FacePair> medial_tree(std::span<const Moments> medial, std::span<const uint32_t> group, Run& run) {
  std::vector<Moments> nodes(medial.begin(), medial.end());
  std::vector<std::vector<uint32_t>> near(nodes.size());
  std::vector<Bounds> boxes;
  std::vector<uint32_t> item_of_box;
  for (uint32_t k = 0; k < nodes.size(); ++k) {
    if (!(nodes[k].area > 0)) continue;
    boxes.push_back({nodes[k].centroid, nodes[k].centroid});
    item_of_box.push_back(k);
  }
  if (boxes.size() < 2) return {};
  const BoxBvh tree(boxes, run);
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (uint32_t k = 0; k < boxes.size(); ++k) {
    const uint32_t item = item_of_box[k];
    const auto is_no_neighbour = [&](uint32_t o) { return o == k || group[item_of_box[o]] != group[item]; };
    for (const auto& [distance, other] : tree.nearest_boxes(boxes[k], kNeighbours, is_no_neighbour)) {
      const auto [a, b] = std::minmax(item, item_of_box[other]);
      near[item].push_back(item_of_box[other]);
      near[item_of_box[other]].push_back(item);
      queue.push({ward_price(nodes[a], nodes[b]), a, b});
    }
  }
  std::vector<FacePair> merges;
  std::vector<uint32_t> into(nodes.size());
  for (uint32_t k = 0; k < into.size(); ++k) into[k] = k;
  const auto current = [&](uint32_t k) {
    while (into[k] != k) k = into[k] = into[into[k]];
    return k;
  };
  while (!queue.empty()) {
    const Entry next = queue.top();
    queue.pop();
    if (into[next.a] != next.a || into[next.b] != next.b) continue;
    const auto merged = static_cast<uint32_t>(nodes.size());
    merges.push_back({next.a, next.b});
    nodes.push_back(nodes[next.a] + nodes[next.b]);
    into[next.a] = into[next.b] = merged;
    into.push_back(merged);
    std::vector<uint32_t> around;
    for (const uint32_t child : {next.a, next.b}) {
      for (const uint32_t k : near[child])
        if (const uint32_t other = current(k); other != merged) around.push_back(other);
      near[child] = {};
    }
    std::sort(around.begin(), around.end());
    around.erase(std::unique(around.begin(), around.end()), around.end());
    for (const uint32_t other : around) {
      near[other].push_back(merged);
      queue.push({ward_price(nodes[other], nodes[merged]), other, merged});
    }
    near.push_back(std::move(around));
  }
  return merges;
}

}  // namespace hitbox::internal::fit
