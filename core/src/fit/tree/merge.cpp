#include "fit/tree/merge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>

#include "fit/cost/overlap.hpp"
#include "fit/shaping/kernel.hpp"
#include "fit/tree/link.hpp"
#include "geometry/eigen3.hpp"
#include "mesh/components.hpp"

namespace hitbox::internal::fit {

namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr size_t kLinksPerCluster = 4;
constexpr double kTouching = 0.1;  // fraction of the smaller cluster: a gap up to this counts as contact

struct Neighbour {
  uint32_t cluster;
  double price;  // of merging with the neighbour; after a merge, that of the halves
};

struct Cluster : Leaf {
  uint32_t part = kNone;  // its connected component; kNone: several
  uint32_t leaf_count = 1;
  std::vector<Neighbour> neighbours = {};
};

// An entry is stale if one of its clusters has merged since. It is lazy if it inherited its price, which is computed
// only when the entry reaches the top.
struct Entry {
  double price;
  uint32_t a, b;  // a < b
  bool lazy;

  friend bool operator>(const Entry& l, const Entry& r) {
    if (l.price != r.price) return l.price > r.price;
    if (l.a != r.a) return l.a > r.a;
    return l.b > r.b;
  }
};

class Greedy {
 public:
  Greedy(const MeshView& mesh, const LeafSet& set, const Shaper& shaper, bool with_tangent, const MergeLimits& limits,
         MergeTree& tree, Run& run)
      : mesh_(mesh),
        shaper_(shaper),
        model_(shaper.model()),
        with_tangent_(with_tangent),
        limits_(limits),
        tree_(tree),
        run_(run),
        fitter_(model_),
        leaf_count_(set.leaves.size()),
        live_(leaf_count_) {
    clusters_.reserve(2 * leaf_count_);
    for (const Leaf& leaf : set.leaves) clusters_.push_back({leaf});
    into_.resize(leaf_count_);
    std::iota(into_.begin(), into_.end(), 0u);
    gone_.assign(leaf_count_, false);
    find_parts(set.edges);
    edge_prices_ = join(set.edges, set.prices);
    join(links_between_parts(), {});
  }

  void merge_all();
  MergeHistory history();

 private:
  void find_parts(const std::vector<FacePair>& edges);
  bool is_whole(const Cluster& c) const { return c.part == kNone || c.leaf_count == part_size_[c.part]; }
  bool may_merge(uint32_t a, uint32_t b) const;
  void push_across_parts();
  std::vector<double> join(const std::vector<FacePair>& pairs, std::span<const double> known);
  std::vector<FacePair> links_between_parts();
  Fitted common_shape(Fitter& fitter, uint32_t a, uint32_t b) const;
  double excess(const Fitted& common, uint32_t a, uint32_t b) const {
    return common.volume - clusters_[a].shape.volume - clusters_[b].shape.volume;
  }
  double price(const Fitted& common, uint32_t a, uint32_t b) const {
    if (common.refused || excess(common, a, b) > limits_.max_excess) return Bounds::kInfinity;
    return common.cost - clusters_[a].shape.cost - clusters_[b].shape.cost + shared_cost(a, b);
  }
  double shared_cost(uint32_t a, uint32_t b) const;
  void push(uint32_t a, uint32_t b, double price, bool lazy) {
    if (price < Bounds::kInfinity && may_merge(a, b)) queue_.push({price, std::min(a, b), std::max(a, b), lazy});
  }
  // The current cluster that contains c (path halving).
  uint32_t current(uint32_t c) {
    while (into_[c] != c) c = into_[c] = into_[into_[c]];
    return c;
  }
  bool pop_next(Entry& next);
  void merge(uint32_t a, uint32_t b, const Fitted& common);
  std::vector<Neighbour> joint_neighbours(uint32_t a, uint32_t b, uint32_t merged);

  const MeshView& mesh_;
  const Shaper& shaper_;
  const CostModel& model_;
  bool with_tangent_;
  MergeLimits limits_;
  MergeTree& tree_;
  Run& run_;
  Fitter fitter_;
  size_t leaf_count_;
  std::vector<Cluster> clusters_;  // the leaves, then one cluster per merge
  std::vector<uint32_t> into_;     // the cluster that each one merged into, or itself
  std::vector<bool> gone_;
  std::vector<uint32_t> slot_;       // scratch memory of joint_neighbours
  std::vector<uint32_t> part_size_;  // in number of leaves
  bool across_parts_ = false;        // clusters across a gap need not be whole components any more
  size_t live_;
  std::vector<MergeHistory::Step> steps_;
  std::vector<double> edge_prices_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

void Greedy::find_parts(const std::vector<FacePair>& edges) {
  DisjointSets parts(clusters_.size());
  for (const FacePair& edge : edges) parts.unite(edge.a, edge.b);
  part_size_.assign(clusters_.size(), 0);
  for (uint32_t c = 0; c < clusters_.size(); ++c) {
    clusters_[c].part = parts.find(c);
    ++part_size_[clusters_[c].part];
  }
}

// Across a gap only whole components merge. The roofs of two houses make a cheaper plate than a roof and a wall make a
// house, so otherwise there would be one long house.
bool Greedy::may_merge(uint32_t a, uint32_t b) const {
  const Cluster &ca = clusters_[a], &cb = clusters_[b];
  if (across_parts_ || ca.part == cb.part || (is_whole(ca) && is_whole(cb))) return true;
  const double size_sq = std::min(norm_sq(ca.box.size()), norm_sq(cb.box.size()));
  return distance_sq(ca.box, cb.box) <= kTouching * kTouching * size_sq;
}

void Greedy::push_across_parts() {
  across_parts_ = true;
  for (uint32_t c = 0; c < clusters_.size(); ++c) {
    if (gone_[c]) continue;
    for (const Neighbour& n : clusters_[c].neighbours) {
      const uint32_t other = current(n.cluster);
      if (other > c) push(c, other, n.price, true);
    }
  }
}

Fitted Greedy::common_shape(Fitter& fitter, uint32_t a, uint32_t b) const {
  const Cluster &ca = clusters_[a], &cb = clusters_[b];
  const FaceOperator op = ca.op + cb.op;
  const Cluster& larger = cb.op.area() > ca.op.area() ? cb : ca;
  fitter.points.assign(mesh_.vertices, ca.kernel);
  fitter.points.append(mesh_.vertices, cb.kernel);
  const Frame frames[] = {larger.shape.frame, eigen3(combined(op, with_tangent_)).vectors};
  const Fitted common = shaper_.quick(fitter, frames);
  return shaper_.meter() != nullptr ? without_noise(common, op, model_.thickness) : common;
}

// The shared volume has the weight of the smaller shape.
double Greedy::shared_cost(uint32_t a, uint32_t b) const {
  if (model_.overlap_samples == 0) return 0;
  if (clusters_[b].shape.cost < clusters_[a].shape.cost) std::swap(a, b);
  const Fitted& small = clusters_[a].shape;
  const uint64_t seed = (uint64_t{a} << 32) | b;
  return small.cost * share_inside(small, clusters_[b].shape, model_.overlap_samples, seed);
}

// Makes these pairs neighbours, and returns their prices. Known prices are kept.
std::vector<double> Greedy::join(const std::vector<FacePair>& pairs, std::span<const double> known) {
  std::vector<double> prices(pairs.size(), std::numeric_limits<double>::quiet_NaN());
  std::copy(known.begin(), known.end(), prices.begin());
  run_.for_each_block(pairs.size(), 64, [&](size_t first, size_t last, size_t) {
    Fitter fitter(model_);
    for (size_t k = first; k < last; ++k) {
      const auto [a, b] = pairs[k];
      if (std::isnan(prices[k])) prices[k] = price(common_shape(fitter, a, b), a, b);
    }
  });
  for (size_t k = 0; k < pairs.size(); ++k) {
    const auto [a, b] = pairs[k];
    clusters_[a].neighbours.push_back({b, prices[k]});
    clusters_[b].neighbours.push_back({a, prices[k]});
    push(a, b, prices[k], false);
  }
  return prices;
}

// The next pair to merge; its price is exact.
bool Greedy::pop_next(Entry& next) {
  while (!queue_.empty()) {
    next = queue_.top();
    queue_.pop();
    if (gone_[next.a] || gone_[next.b]) continue;
    if (!next.lazy) return true;
    const double exact = price(common_shape(fitter_, next.a, next.b), next.a, next.b);
    for (Neighbour& n : clusters_[next.a].neighbours)
      if (n.cluster == next.b) n.price = exact;
    for (Neighbour& n : clusters_[next.b].neighbours)
      if (n.cluster == next.a) n.price = exact;
    push(next.a, next.b, exact, false);
  }
  return false;
}

// The neighbours of both, without repetitions, with the lower of the two inherited prices.
std::vector<Neighbour> Greedy::joint_neighbours(uint32_t a, uint32_t b, uint32_t merged) {
  slot_.resize(clusters_.size(), kNone);
  std::vector<Neighbour> joint;
  joint.reserve(clusters_[a].neighbours.size() + clusters_[b].neighbours.size());
  for (const uint32_t part : {a, b}) {
    for (const Neighbour& n : clusters_[part].neighbours) {
      const uint32_t other = current(n.cluster);
      if (other == merged) continue;
      if (slot_[other] == kNone) {
        slot_[other] = static_cast<uint32_t>(joint.size());
        joint.push_back({other, n.price});
      } else {
        double& known = joint[slot_[other]].price;
        known = std::min(known, n.price);
      }
    }
  }
  for (const Neighbour& n : joint) slot_[n.cluster] = kNone;
  return joint;
}

void Greedy::merge(uint32_t a, uint32_t b, const Fitted& common) {
  const auto merged = static_cast<uint32_t>(clusters_.size());
  const FaceOperator op = clusters_[a].op + clusters_[b].op;
  constexpr double kMemory = 0.05;
  const double added = common.cost - clusters_[a].shape.cost - clusters_[b].shape.cost;
  const double before = steps_.empty() ? 0 : steps_.back().price;
  steps_.push_back({a, b, added, before + kMemory * (added - before)});
  // No merge of a simple part is free.
  constexpr double kSomething = 1e-3;
  const bool has_simple = clusters_[a].has_simple || clusters_[b].has_simple;
  // By deviation, a merge that swallows another shape is not free either. Only a merge that changes nothing is.
  const double volume = excess(common, a, b);
  const double paid = shaper_.meter() == nullptr ? volume : std::max(std::abs(volume), std::abs(added));
  const double volume_added = has_simple ? std::max(paid, kSomething) : paid;
  tree_.merges.push_back(
      {clusters_[a].node, clusters_[b].node, volume_added, fills_nothing(common, op, model_.thickness)});
  into_[a] = into_[b] = merged;
  into_.push_back(merged);
  gone_[a] = gone_[b] = true;
  gone_.push_back(false);
  --live_;

  const Leaf* const parts[] = {&clusters_[a], &clusters_[b]};
  Cluster cluster{joined(mesh_, parts)};
  cluster.node = tree_.face_count + static_cast<uint32_t>(tree_.merges.size()) - 1;
  cluster.part = clusters_[a].part == clusters_[b].part ? clusters_[a].part : kNone;
  cluster.leaf_count = clusters_[a].leaf_count + clusters_[b].leaf_count;
  cluster.shape = common;
  clusters_.push_back(std::move(cluster));
  clusters_.back().neighbours = joint_neighbours(a, b, merged);
  for (const uint32_t part : {a, b}) clusters_[part].neighbours = {};
  for (Neighbour& n : clusters_.back().neighbours) {
    // A forbidden merge may be allowed now: two halves add less to a whole than one of them.
    const bool was_forbidden = n.price == Bounds::kInfinity;
    if (was_forbidden) n.price = price(common_shape(fitter_, merged, n.cluster), merged, n.cluster);
    clusters_[n.cluster].neighbours.push_back({merged, n.price});
    push(merged, n.cluster, n.price, !was_forbidden);
  }
}

// Virtual edges between nearby clusters of different components. Without them each component would become one shape
// before any two of them merge: a castle's wall before its flags.
std::vector<FacePair> Greedy::links_between_parts() {
  DisjointSets parts(clusters_.size());
  std::vector<uint32_t> live;
  for (uint32_t c = 0; c < clusters_.size(); ++c) {
    if (gone_[c]) continue;
    live.push_back(c);
    for (const Neighbour& n : clusters_[c].neighbours)
      if (n.price < Bounds::kInfinity) parts.unite(c, current(n.cluster));
  }
  // Links are made per group, because the nearest clusters of all may belong to other groups.
  std::stable_sort(live.begin(), live.end(),
                   [&](uint32_t a, uint32_t b) { return clusters_[a].group < clusters_[b].group; });
  std::vector<FacePair> links;
  for (size_t first = 0, last = 0; first < live.size(); first = last) {
    std::vector<Bounds> boxes;
    std::vector<uint32_t> part;
    for (; last < live.size() && clusters_[live[last]].group == clusters_[live[first]].group; ++last) {
      boxes.push_back(clusters_[live[last]].box);
      part.push_back(parts.find(live[last]));
    }
    for (const FacePair& link : link_nearest(boxes, part, kLinksPerCluster, run_))
      links.push_back({live[first + link.a], live[first + link.b]});
  }
  return links;
}

void Greedy::merge_all() {
  const double all = static_cast<double>(live_);
  for (;;) {
    Entry next;
    if (!pop_next(next)) {
      // No pair is left along the surface: continue across components, unless all pairs are forbidden.
      if (live_ <= limits_.count) return;
      if (!across_parts_) push_across_parts();
      if (queue_.empty()) join(links_between_parts(), {});
      if (queue_.empty()) return;
      continue;
    }
    if (live_ <= limits_.count) return;
    merge(next.a, next.b, common_shape(fitter_, next.a, next.b));
    run_.advance(1 - static_cast<double>(live_) / all);
  }
}

MergeHistory Greedy::history() {
  MergeHistory result{leaf_count_, std::move(steps_), {}, std::move(edge_prices_)};
  for (const Cluster& cluster : clusters_) result.cost.push_back(cluster.shape.cost);
  return result;
}

}  // namespace

MergeHistory merge_greedily(const MeshView& mesh, const LeafSet& leaves, const Shaper& shaper, bool with_tangent,
                            const MergeLimits& limits, MergeTree& tree, Run& run) {
  Greedy greedy(mesh, leaves, shaper, with_tangent, limits, tree, run);
  greedy.merge_all();
  return greedy.history();
}

}  // namespace hitbox::internal::fit
