#include "fit/refine/outliers.hpp"

#include <algorithm>

#include "fit/refine/remerge.hpp"

namespace hitbox::internal::fit {

namespace {

constexpr double kLower = 0.9;               // fraction of a reach: a change must reduce it at least to this
constexpr double kPrice = 5;                 // average costs: the limit for the increase of the total cost
constexpr double kHalf = 0.5, kForHalf = 4;  // a change that halves the reach may cost this many times as much
constexpr size_t kTriesAPeak = 30;

class Outlier {
 public:
  Outlier(Clustering& clusters, uint32_t cluster, double price)
      : clusters_(clusters),
        cluster_(cluster),
        own_(clusters.shape(cluster)),
        most_reach_(kLower * own_.reach),
        price_(price) {}

  bool lower() { return by_another_shape() || by_joining() || by_moving() || by_splitting() || by_merging_anew(); }

 private:
  bool by_another_shape() {
    for (const auto& [reach, price] : {std::pair{kHalf * own_.reach, kForHalf * price_}, {most_reach_, price_}}) {
      const Fitted other = clusters_.lowest(cluster_, own_.cost + price);
      if (other.reach > reach) continue;
      clusters_.set_shape(cluster_, other);
      return true;
    }
    return false;
  }

  // The box around the two triangles of a rectangle reaches less far than the box around each.
  bool by_joining() {
    uint32_t with = kNoCluster;
    Fitted best;
    for (const uint32_t other : clusters_.clusters_next_to(cluster_)) {
      if (!clusters_.may_look()) return false;
      const double most = clusters_.shape(other).cost + own_.cost + price_;
      const Fitted common = clusters_.tried_both(cluster_, other, most);
      if (common.refused || common.cost >= most || common.reach > most_reach_) continue;
      if (with != kNoCluster && common.cost - clusters_.shape(other).cost >= best.cost - clusters_.shape(with).cost)
        continue;
      with = other;
      best = common;
    }
    if (with == kNoCluster) return false;
    clusters_.join(cluster_, with, best);
    return true;
  }

  // Gives a leaf to a neighbour if neither shape then reaches as far.
  bool by_moving() {
    const std::vector<uint32_t> leaves = clusters_.leaves(cluster_);
    if (leaves.size() < 2) return false;
    for (const uint32_t leaf : leaves) {
      if (!clusters_.may_look()) return false;
      const std::vector<uint32_t> around = clusters_.clusters_around(leaf);
      if (around.empty() || !clusters_.supports(cluster_, leaf)) continue;
      const Fitted smaller = clusters_.tried(clusters_.without(cluster_, leaf));
      if (smaller.reach > most_reach_ || smaller.refused) continue;
      for (const uint32_t to : around) {
        const double most = own_.cost + clusters_.shape(to).cost + price_ - smaller.cost;
        const Fitted larger = clusters_.tried_with(to, leaf, most);
        if (larger.refused || larger.cost >= most || larger.reach > most_reach_) continue;
        clusters_.move(leaf, to, smaller, larger);
        return true;
      }
    }
    return false;
  }

  bool by_splitting() {
    const Split split = clusters_.best_split(cluster_, Clustering::Aim::reach);
    if (split.a.empty() || split.reach() > most_reach_) return false;
    const double price = split.reach() <= kHalf * own_.reach ? kForHalf * price_ : price_;
    if (!clusters_.set_free(1, cluster_, price + split.gain, most_reach_)) return false;
    clusters_.split(cluster_, split);
    return true;
  }

  bool by_merging_anew() {
    return remerge(clusters_, cluster_, -price_, most_reach_) ||
           remerge(clusters_, cluster_, -kForHalf * price_, kHalf * own_.reach);
  }

  Clustering& clusters_;
  uint32_t cluster_;
  Fitted own_;
  double most_reach_, price_;
};

}  // namespace

void reduce_outliers(Clustering& clusters, size_t rounds, Run& run) {
  if (clusters.is_late()) return;
  clusters.allow_tries(kTriesAPeak * rounds);
  clusters.look_closely();
  // from before all changes, so that they do not pay for each other
  const double price = kPrice * clusters.average();
  std::vector<std::vector<uint32_t>> stuck(clusters.size());  // the leaves of clusters that cannot be improved
  const auto reach = [&](uint32_t c) { return clusters.shape(c).reach; };
  while (rounds-- > 0 && clusters.may_look()) {
    run.poll();
    uint32_t highest = kNoCluster;
    for (uint32_t c = 0; c < clusters.size(); ++c)
      if ((highest == kNoCluster || reach(c) > reach(highest)) && stuck[c] != clusters.leaves(c)) highest = c;
    if (highest == kNoCluster || reach(highest) <= kOnTheMesh) return;
    if (!Outlier(clusters, highest, price).lower()) stuck[highest] = clusters.leaves(highest);
  }
}

}  // namespace hitbox::internal::fit
