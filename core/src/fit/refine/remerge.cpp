#include "fit/refine/remerge.hpp"

#include <algorithm>

namespace hitbox::internal::fit {

namespace {

constexpr size_t kFewestLeaves = 3;
constexpr size_t kMostLeaves = 24;  // for more leaves this takes too long

struct Pieces {
  std::vector<std::vector<uint32_t>> leaves;
  std::vector<Fitted> shapes;

  size_t size() const { return shapes.size(); }
  double cost() const {
    double sum = 0;
    for (const Fitted& shape : shapes) sum += shape.cost;
    return sum;
  }
  bool may_be(double most_reach) const {
    return std::all_of(shapes.begin(), shapes.end(),
                       [&](const Fitted& shape) { return !shape.refused && shape.reach <= most_reach; });
  }
};

class Remerger {
 public:
  Remerger(Clustering& clusters, uint32_t cluster) : clusters_(clusters) {
    for (const uint32_t leaf : clusters.leaves(cluster)) {
      now_.leaves.push_back({leaf});
      now_.shapes.push_back(clusters.tried(now_.leaves.back()));
    }
    common_.assign(now_.size(), std::vector<Fitted>(now_.size()));
    for (size_t b = 1; b < now_.size() && clusters.may_look(); ++b)
      for (size_t a = 0; a < b; ++a) look_at(a, b);
  }

  // Each additional cluster has a price. Empty if all choices reach too far.
  Pieces best(double price_of_one, double most_reach) {
    Pieces best;
    double least = Bounds::kInfinity;
    while (now_.size() > 1 && clusters_.may_look()) {
      const double total = now_.cost() + price_of_one * static_cast<double>(now_.size() - 1);
      if (total < least && now_.may_be(most_reach)) {
        least = total;
        best = now_;
      }
      if (!merge_cheapest()) break;
    }
    return best;
  }

 private:
  bool touch(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) const {
    return std::any_of(a.begin(), a.end(), [&](uint32_t leaf) {
      const auto near = clusters_.next_to_leaf(leaf);
      return std::any_of(near.begin(), near.end(),
                         [&](uint32_t other) { return std::binary_search(b.begin(), b.end(), other); });
    });
  }

  void look_at(size_t a, size_t b) {
    Fitted common;
    if (touch(now_.leaves[a], now_.leaves[b])) common = clusters_.tried(merged(now_.leaves[a], now_.leaves[b]));
    common_[a][b] = common_[b][a] = common.refused ? Fitted{} : common;
  }

  bool merge_cheapest() {
    size_t into = 0, gone = 0;
    double cheapest = Bounds::kInfinity;
    for (size_t b = 1; b < now_.size(); ++b)
      for (size_t a = 0; a < b; ++a) {
        const double price = common_[a][b].cost - now_.shapes[a].cost - now_.shapes[b].cost;
        if (!(price < cheapest)) continue;
        cheapest = price;
        into = a;
        gone = b;
      }
    if (gone == 0) return false;
    now_.leaves[into] = merged(now_.leaves[into], now_.leaves[gone]);
    now_.shapes[into] = common_[into][gone];
    const auto at = static_cast<ptrdiff_t>(gone);
    now_.leaves.erase(now_.leaves.begin() + at);
    now_.shapes.erase(now_.shapes.begin() + at);
    common_.erase(common_.begin() + at);
    for (auto& row : common_) row.erase(row.begin() + at);
    for (size_t k = 0; k < now_.size(); ++k)
      if (k != into) look_at(into, k);
    return true;
  }

  Clustering& clusters_;
  Pieces now_;
  std::vector<std::vector<Fitted>> common_;  // per pair; infinite cost: none
};

}  // namespace

bool remerge(Clustering& clusters, uint32_t cluster, double least_gain, double most_reach) {
  const size_t count = clusters.leaves(cluster).size();
  if (count < kFewestLeaves || count > kMostLeaves) return false;
  const double most = clusters.shape(cluster).cost - least_gain;
  double price = 0;
  if (clusters.free_count() == 0) {
    const Join join = clusters.cheapest_join(cluster, most);
    if (join.a == kNoCluster) return false;
    price = join.price;
  }
  const Pieces pieces = Remerger(clusters, cluster).best(price, most_reach);
  if (pieces.size() == 0) return false;
  if (!clusters.set_free(pieces.size() - 1, cluster, most - pieces.cost(), most_reach)) return false;
  std::vector<uint32_t> rest = clusters.leaves(cluster);
  for (size_t k = 1; k < pieces.size(); ++k) {
    std::vector<uint32_t> others;
    std::set_difference(rest.begin(), rest.end(), pieces.leaves[k].begin(), pieces.leaves[k].end(),
                        std::back_inserter(others));
    rest = std::move(others);
    clusters.split(cluster, {rest, pieces.leaves[k], pieces.shapes[0], pieces.shapes[k]});
  }
  return true;
}

}  // namespace hitbox::internal::fit
