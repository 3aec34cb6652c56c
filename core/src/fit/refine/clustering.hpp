// Clusters of leaves with their shapes, and the moves that change them. Every move is evaluated before it is applied.
// Fitting shapes dominates the cost, so evaluations draw on a budget.
#pragma once

#include <optional>

#include "fit/refine/refine.hpp"

namespace hitbox::internal::fit {

inline constexpr uint32_t kNoCluster = UINT32_MAX;
inline constexpr double kOnTheMesh = 5e-5;   // fraction of the diagonal: a smaller reach cannot be improved
inline constexpr double kWorthwhile = 1e-3;  // fraction of a cost: smaller gains are noise of the samples

// Two clusters that replace one or two others.
struct Split {
  std::vector<uint32_t> a, b;  // their leaves, ascending
  Fitted shape_a, shape_b;
  double gain = -Bounds::kInfinity;

  double reach() const { return std::max(shape_a.reach, shape_b.reach); }
  bool is_refused() const { return shape_a.refused || shape_b.refused; }
};

// One cluster that replaces two.
struct Join {
  uint32_t a = kNoCluster, b = kNoCluster;
  double price = Bounds::kInfinity;  // from a quick evaluation; usually more than the true price
};

// Merges two ascending lists.
std::vector<uint32_t> merged(std::span<const uint32_t> a, std::span<const uint32_t> b);

class Clustering {
 public:
  Clustering(const MeshView& mesh, const LeafSet& set, std::vector<uint32_t> cluster_of_leaf, const Shaper& shaper,
             const RefineLimits& limits, Run& run);
  // Clusters are numbered in the order of their first leaves.
  Refined take();

  // State
  uint32_t size() const { return static_cast<uint32_t>(leaves_.size()); }  // including free clusters
  size_t free_count() const { return free_.size(); }
  // empty: the cluster is free
  const std::vector<uint32_t>& leaves(uint32_t cluster) const { return leaves_[cluster]; }
  const Fitted& shape(uint32_t cluster) const { return shape_[cluster]; }
  const Leaf& leaf(uint32_t leaf) const { return set_.leaves[leaf]; }
  std::span<const uint32_t> next_to_leaf(uint32_t leaf) const { return near_[leaf]; }  // as leaves
  std::vector<uint32_t> clusters_around(uint32_t leaf) const;
  std::vector<uint32_t> clusters_next_to(uint32_t cluster) const;
  std::vector<uint32_t> worst_first() const;  // only clusters in use
  double total() const;
  double average() const { return total() / static_cast<double>(size()); }
  bool is_simple(uint32_t cluster) const { return leaves_[cluster].size() == 1 && leaf(leaves_[cluster][0]).is_simple; }
  // Whether the cluster's shape could be smaller without this leaf, which reaches the shape's surface.
  bool supports(uint32_t cluster, uint32_t leaf) const;

  // Evaluations
  bool may_look() const { return left_ > 0; }
  bool is_late() { return late_ = late_ || std::chrono::steady_clock::now() >= deadline_; }
  void allow_tries(size_t least);
  void look_closely();  // from now on, evaluations measure how far shapes reach
  double spent() const { return 1 - static_cast<double>(left_) / all_; }
  // A shape around leaves, clusters, or both. A shape that costs `enough` or more is useless, so its measurement stops
  // early.
  Fitted tried(std::span<const uint32_t> leaves, double enough = Bounds::kInfinity);
  Fitted tried_with(uint32_t cluster, uint32_t leaf, double enough = Bounds::kInfinity);
  Fitted tried_both(uint32_t a, uint32_t b, double enough = Bounds::kInfinity);
  // Whether adding a leaf is worth an evaluation, judged by a quick fit of the cluster's kind and frame.
  bool may_cost_less(uint32_t cluster, uint32_t more, double most);
  // The shape with the smallest reach among those that cost less than `most`.
  Fitted lowest(uint32_t cluster, double most);
  std::vector<uint32_t> both(uint32_t a, uint32_t b) const { return merged(leaves_[a], leaves_[b]); }  // as leaves
  std::vector<uint32_t> with(uint32_t cluster, uint32_t leaf) const;
  std::vector<uint32_t> without(uint32_t cluster, uint32_t leaf) const;
  // The best split of the cluster: the one with the largest gain, or with the smallest reach. Neither half is refused.
  enum class Aim { gain, reach };
  Split best_split(uint32_t cluster, Aim aim);
  // The leaves of both, divided in the middle between them; infinitely bad if that is no better.
  Split even_split(uint32_t a, uint32_t b);
  // The cheapest pair, below `limit`. Prices of other pairs are kept until they change.
  Join cheapest_join(uint32_t not_this, double limit);

  // Moves
  void set_shape(uint32_t cluster, const Fitted& shape);
  void move(uint32_t leaf, uint32_t to, const Fitted& smaller, const Fitted& larger);
  void join(uint32_t into, uint32_t gone, const Fitted& common);
  void split(uint32_t cluster, Split split);  // the second half uses a free cluster
  void share(uint32_t a, uint32_t b, Split split);
  // Joins other clusters until this many are free, for at most this total price. Joins none if that is not enough.
  bool set_free(size_t needed, uint32_t not_this, double price, double most_reach);

 private:
  Leaf whole(std::span<const uint32_t> leaves) const;
  const Leaf& whole(uint32_t cluster);
  Leaf whole_with(uint32_t cluster, uint32_t leaf);
  Leaf whole_of_both(uint32_t a, uint32_t b);
  Fitted tried(const Leaf& all, double enough);
  std::vector<Frame> frames_of(const Leaf& whole) const;
  Fitted shape_around(Fitter& fitter, const Leaf& all, double enough) const;
  double quick_cost(const Leaf& all, uint32_t like, double enough);
  void count_looks(size_t quick);
  void sort_along(const Vec3& direction, std::vector<uint32_t>& leaves) const;
  size_t widest_gap(std::span<const uint32_t> order, const Vec3& along) const;
  Join cheapest_join_of(uint32_t cluster);
  void forget(std::initializer_list<uint32_t> changed);

  const MeshView& mesh_;
  const LeafSet& set_;
  const Shaper& shaper_;
  Run& run_;
  Fitter fitter_;
  size_t left_;       // budget of quick evaluations
  size_t looks_ = 0;  // since the last look at the clock
  std::chrono::steady_clock::time_point deadline_;
  double all_ = static_cast<double>(left_);
  bool closely_ = false, late_ = false;
  std::vector<uint32_t> cluster_of_;
  std::vector<std::vector<uint32_t>> leaves_;  // per cluster, ascending
  std::vector<uint32_t> free_;                 // free clusters; the last is used first
  std::vector<Fitted> shape_;
  std::vector<std::optional<Leaf>> whole_;   // all of a cluster's leaves as one; empty: unknown
  std::vector<std::vector<uint32_t>> near_;  // per leaf its neighbours
  std::vector<Join> join_of_;                // the cheapest join per cluster; kNoCluster: unknown
};

}  // namespace hitbox::internal::fit
