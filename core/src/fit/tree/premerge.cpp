#include "fit/tree/premerge.hpp"

#include <algorithm>
#include <numeric>

#include "fit/tree/link.hpp"
#include "primitives/moments.hpp"

namespace hitbox::internal::fit {

namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr size_t kBlock = 4096;

class Rounds {
 public:
  Rounds(const MeshView& mesh, std::vector<FacePair> edges, std::span<const uint32_t> group_of_face, size_t leaf_count,
         double volume_limit, MergeTree& tree, Run& run)
      : edges_(std::move(edges)),
        volume_limit_(volume_limit),
        tree_(tree),
        run_(run),
        moments_(mesh.face_count()),
        label_(group_of_face.begin(), group_of_face.end()) {
    run_.for_each_block(moments_.size(), kBlock, [&](size_t first, size_t last, size_t) {
      for (size_t f = first; f < last; ++f) moments_[f] = face_moments(mesh.vertices, mesh.face(f));
    });
    node_.resize(moments_.size());
    std::iota(node_.begin(), node_.end(), 0u);
    for (const Moments& m : moments_) total_area_ += m.area;
    locked_.assign(count(), false);
    if (!tree_.simple.empty()) start_from_parts(leaf_count / 2);
    remove_repeated_edges();
  }

  size_t count() const { return moments_.size(); }

  size_t merge_round(size_t target);  // returns the number of merges
  void link_neighbours() {
    const std::vector<FacePair> links = link_along_curve(centroids(), label_);
    edges_.insert(edges_.end(), links.begin(), links.end());
    remove_repeated_edges();
  }
  Premerged take() {
    remove_repeated_edges();
    node_.shrink_to_fit();  // they had room for all faces
    edges_.shrink_to_fit();
    label_.shrink_to_fit();
    return {std::move(node_), std::move(edges_), std::move(label_)};
  }

 private:
  void start_from_parts(size_t most_locked);
  bool is_small_enough(const Moments& m) const {
    return volume_limit_ == Bounds::kInfinity || box_proxy(m, 0) <= volume_limit_;
  }
  void price_edges();
  void note_cheapest_neighbours();
  double median_of_cheapest() const;
  void try_merge(uint32_t a, uint32_t b);
  void match(double limit);
  void attach_to_matched(double limit);
  void compact();
  void remove_repeated_edges();
  std::vector<Vec3> centroids() const;

  std::vector<FacePair> edges_;
  double volume_limit_;
  MergeTree& tree_;
  Run& run_;
  std::vector<Moments> moments_;  // per cluster
  std::vector<uint32_t> node_;    // per cluster: its node in the tree
  std::vector<uint32_t> label_;   // per cluster: the group of its faces; or empty
  std::vector<bool> locked_;      // per cluster: a simple part, which is not merged
  double total_area_ = 0;
  size_t to_merge_ = 0;             // remaining number of merges
  std::vector<double> proxy_;       // per cluster
  std::vector<double> price_;       // per edge
  std::vector<uint32_t> cheapest_;  // per cluster: its cheapest neighbour
  std::vector<double> cheapest_price_;
  std::vector<uint32_t> group_;  // per cluster: the cluster it merged into, or itself
  std::vector<bool> matched_;
};

// Simple parts are clusters from the start and are not merged, unless there are too many: then all of them merge like
// others. If only some were kept, they would end up inside merged ones.
void Rounds::start_from_parts(size_t most_locked) {
  const Partition partition = tree_.partition_after(tree_.merges.size());
  std::vector<Moments> joined(partition.cluster_count);
  std::vector<uint32_t> node(partition.cluster_count), label(label_.empty() ? 0 : partition.cluster_count);
  for (uint32_t f = static_cast<uint32_t>(count()); f-- > 0;) {
    const uint32_t c = partition.cluster_of_face[f];
    joined[c] = joined[c].area > 0 ? joined[c] + moments_[f] : moments_[f];
    node[c] = f;
    if (!label_.empty()) label[c] = label_[f];
  }
  std::vector<uint32_t> parts;
  for (const SimpleNode& part : tree_.simple) {
    parts.push_back(partition.cluster_of_face[part.first_face]);
    node[parts.back()] = part.node;
  }
  moments_ = std::move(joined);
  node_ = std::move(node);
  label_ = std::move(label);
  locked_.assign(count(), false);
  if (parts.size() <= most_locked)
    for (const uint32_t part : parts) locked_[part] = true;
  size_t out = 0;
  for (const FacePair& edge : edges_) {
    const auto [a, b] = std::minmax(partition.cluster_of_face[edge.a], partition.cluster_of_face[edge.b]);
    if (a != b) edges_[out++] = {a, b};
  }
  edges_.resize(out);
}

void Rounds::price_edges() {
  // The clearance distinguishes flat clusters from long ones. A tenth of a cluster's size is safe.
  const double clearance = 0.1 * std::sqrt(total_area_ / static_cast<double>(count()));
  proxy_.resize(count());
  run_.for_each_block(count(), kBlock, [&](size_t first, size_t last, size_t) {
    for (size_t k = first; k < last; ++k) proxy_[k] = box_proxy(moments_[k], clearance);
  });
  price_.resize(edges_.size());
  run_.for_each_block(edges_.size(), kBlock, [&](size_t first, size_t last, size_t) {
    for (size_t k = first; k < last; ++k) {
      const auto [a, b] = edges_[k];
      const Moments both = moments_[a] + moments_[b];
      const bool free = !locked_[a] && !locked_[b] && is_small_enough(both);
      price_[k] = free ? box_proxy(both, clearance) - proxy_[a] - proxy_[b] : Bounds::kInfinity;
    }
  });
}

void Rounds::note_cheapest_neighbours() {
  cheapest_.assign(count(), kNone);
  cheapest_price_.assign(count(), Bounds::kInfinity);
  const auto offer = [&](uint32_t to, uint32_t neighbour, double price) {
    if (price < cheapest_price_[to] ||
        (price == cheapest_price_[to] && cheapest_[to] != kNone && neighbour < cheapest_[to])) {
      cheapest_price_[to] = price;
      cheapest_[to] = neighbour;
    }
  };
  for (size_t k = 0; k < edges_.size(); ++k) {
    offer(edges_[k].a, edges_[k].b, price_[k]);
    offer(edges_[k].b, edges_[k].a, price_[k]);
  }
}

double Rounds::median_of_cheapest() const {
  std::vector<double> prices;
  prices.reserve(count());
  for (size_t k = 0; k < count(); ++k)
    if (cheapest_[k] != kNone) prices.push_back(cheapest_price_[k]);
  if (prices.empty()) return Bounds::kInfinity;
  const auto middle = prices.begin() + static_cast<ptrdiff_t>(prices.size() / 2);
  std::nth_element(prices.begin(), middle, prices.end());
  return *middle;
}

void Rounds::try_merge(uint32_t a, uint32_t b) {
  if (to_merge_ == 0) return;
  --to_merge_;
  tree_.merges.push_back({node_[a], node_[b], Bounds::kInfinity, false});
  node_[a] = tree_.face_count + static_cast<uint32_t>(tree_.merges.size()) - 1;
  moments_[a] = moments_[a] + moments_[b];
  group_[b] = a;
  matched_[a] = matched_[b] = true;
}

// Mutual pairs merge first, then clusters whose favourite is still free, always in the order of indices.
void Rounds::match(double limit) {
  const auto eligible = [&](uint32_t k) {
    return !matched_[k] && cheapest_[k] != kNone && cheapest_price_[k] <= limit;
  };
  for (uint32_t a = 0; a < count(); ++a) {
    const uint32_t b = cheapest_[a];
    if (eligible(a) && a < b && cheapest_[b] == a) try_merge(a, b);
  }
  for (uint32_t a = 0; a < count(); ++a)
    if (eligible(a) && !matched_[cheapest_[a]]) try_merge(std::min(a, cheapest_[a]), std::max(a, cheapest_[a]));
}

// A fan of clusters with one favourite would take one round per spoke, so they all join it at once.
void Rounds::attach_to_matched(double limit) {
  for (uint32_t a = 0; a < count(); ++a) {
    if (matched_[a] || cheapest_[a] == kNone || cheapest_price_[a] > limit) continue;
    const uint32_t joined = group_[cheapest_[a]];
    if (is_small_enough(moments_[joined] + moments_[a])) try_merge(joined, a);
  }
}

size_t Rounds::merge_round(size_t target) {
  to_merge_ = count() - target;
  price_edges();
  run_.poll();
  note_cheapest_neighbours();
  run_.poll();
  const double limit = median_of_cheapest();
  group_.resize(count());
  std::iota(group_.begin(), group_.end(), 0u);
  matched_.assign(count(), false);
  const size_t before = to_merge_;
  match(limit);
  run_.poll();
  if (before - to_merge_ < count() / 10) attach_to_matched(limit);
  compact();
  return before - to_merge_;
}

void Rounds::compact() {
  std::vector<uint32_t> renumbered(count());
  uint32_t kept = 0;
  for (uint32_t k = 0; k < count(); ++k) {
    if (group_[k] != k) continue;
    renumbered[k] = kept;
    moments_[kept] = moments_[k];
    node_[kept] = node_[k];
    if (!label_.empty()) label_[kept] = label_[k];
    locked_[kept] = locked_[k];
    ++kept;
  }
  for (uint32_t k = 0; k < renumbered.size(); ++k)
    if (group_[k] != k) renumbered[k] = renumbered[group_[k]];
  moments_.resize(kept);
  node_.resize(kept);
  if (!label_.empty()) label_.resize(kept);
  size_t out = 0;
  for (const FacePair& edge : edges_) {
    const uint32_t a = renumbered[edge.a], b = renumbered[edge.b];
    if (a != b) edges_[out++] = {std::min(a, b), std::max(a, b)};
  }
  edges_.resize(out);
  if (edges_.size() > 4 * moments_.size()) remove_repeated_edges();
}

// Counting sort by the first end; then each bucket drops duplicates.
void Rounds::remove_repeated_edges() {
  std::vector<uint32_t> start(count() + 1, 0);
  for (const FacePair& edge : edges_) ++start[edge.a + 1];
  for (size_t k = 0; k < count(); ++k) start[k + 1] += start[k];
  std::vector<uint32_t> ends(edges_.size());
  for (const FacePair& edge : edges_) ends[start[edge.a]++] = edge.b;
  std::vector<uint32_t> seen_by(count(), kNone);
  size_t out = 0, at = 0;
  for (uint32_t a = 0; a < count(); ++a) {
    for (; at < start[a]; ++at) {
      if (seen_by[ends[at]] == a) continue;
      seen_by[ends[at]] = a;
      edges_[out++] = {a, ends[at]};
    }
  }
  edges_.resize(out);
}

std::vector<Vec3> Rounds::centroids() const {
  std::vector<Vec3> points;
  points.reserve(count());
  for (const Moments& m : moments_) points.push_back(m.centroid);
  return points;
}

}  // namespace

Premerged premerge(const MeshView& mesh, std::vector<FacePair> edges, std::span<const uint32_t> group_of_face,
                   size_t leaf_count, double volume_limit, MergeTree& tree, Run& run) {
  Rounds rounds(mesh, std::move(edges), group_of_face, leaf_count, volume_limit, tree, run);
  const double all = static_cast<double>(rounds.count());
  bool just_linked = false;
  while (rounds.count() > leaf_count) {
    const size_t merged = rounds.merge_round(leaf_count);
    if (merged == 0 && just_linked) break;
    just_linked = merged == 0;
    if (just_linked) rounds.link_neighbours();
    run.advance(1 - static_cast<double>(rounds.count()) / all);
  }
  return rounds.take();
}

}  // namespace hitbox::internal::fit
