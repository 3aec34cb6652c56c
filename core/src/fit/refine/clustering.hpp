// Leaves in clusters, each with the shape around it, and the steps that change them. What a step would lead to
// is tried first: shapes are what takes time, so looks at them are counted, and end when the limits say so.
#pragma once

#include <optional>

#include "fit/refine/refine.hpp"

namespace hitbox::internal::fit {

inline constexpr uint32_t kNoCluster = UINT32_MAX;
inline constexpr double kOnTheMesh = 5e-5;   // a reach, of the diagonal: nothing to be gained
inline constexpr double kWorthwhile = 1e-3;  // of a cost: smaller gains are noise of the samples

// Two clusters in place of one, or of two.
struct Split {
  std::vector<uint32_t> a, b;  // leaves, ascending
  Fitted shape_a, shape_b;
  double gain = -Bounds::kInfinity;

  double reach() const { return std::max(shape_a.reach, shape_b.reach); }
  bool is_refused() const { return shape_a.refused || shape_b.refused; }
};

// One cluster in place of two.
struct Join {
  uint32_t a = kNoCluster, b = kNoCluster;
  double price = Bounds::kInfinity;  // by a quick look; mostly more than the true one
};

// Of two ascending lists one.
std::vector<uint32_t> merged(std::span<const uint32_t> a, std::span<const uint32_t> b);

class Clustering {
 public:
  Clustering(const MeshView& mesh, const LeafSet& set, std::vector<uint32_t> cluster_of_leaf, const Shaper& shaper,
             const RefineLimits& limits, Run& run);
  // Numbered in the order of the clusters' first leaves.
  Refined take();

  // What there is
  uint32_t size() const { return static_cast<uint32_t>(leaves_.size()); }  // the free ones too
  size_t free_count() const { return free_.size(); }
  const std::vector<uint32_t>& leaves(uint32_t cluster) const { return leaves_[cluster]; }  // none: it is free
  const Fitted& shape(uint32_t cluster) const { return shape_[cluster]; }
  const Leaf& leaf(uint32_t leaf) const { return set_.leaves[leaf]; }
  std::span<const uint32_t> next_to_leaf(uint32_t leaf) const { return near_[leaf]; }  // leaves
  std::vector<uint32_t> clusters_around(uint32_t leaf) const;
  std::vector<uint32_t> clusters_next_to(uint32_t cluster) const;
  std::vector<uint32_t> worst_first() const;  // clusters in use
  double total() const;
  double average() const { return total() / static_cast<double>(size()); }
  bool is_simple(uint32_t cluster) const { return leaves_[cluster].size() == 1 && leaf(leaves_[cluster][0]).is_simple; }
  // Whether the cluster's shape could be smaller without this leaf: it reaches the shape's surface.
  bool supports(uint32_t cluster, uint32_t leaf) const;

  // Looks
  bool may_look() const { return left_ > 0; }
  bool is_late() { return late_ = late_ || std::chrono::steady_clock::now() >= deadline_; }
  void allow_tries(size_t least);
  void look_closely();  // from now on, at how far shapes reach
  double spent() const { return 1 - static_cast<double>(left_) / all_; }
  // A shape around leaves, clusters, or both. What costs `enough` or more is of no use, and not measured to the
  // end.
  Fitted tried(std::span<const uint32_t> leaves, double enough = Bounds::kInfinity);
  Fitted tried_with(uint32_t cluster, uint32_t leaf, double enough = Bounds::kInfinity);
  Fitted tried_both(uint32_t a, uint32_t b, double enough = Bounds::kInfinity);
  // Whether a leaf more is worth trying: a quick look at a shape of the same kind and frame as the cluster's.
  bool may_cost_less(uint32_t cluster, uint32_t more, double most);
  // The one that reaches least far of those that cost less than `most`.
  Fitted lowest(uint32_t cluster, double most);
  std::vector<uint32_t> both(uint32_t a, uint32_t b) const { return merged(leaves_[a], leaves_[b]); }  // leaves
  std::vector<uint32_t> with(uint32_t cluster, uint32_t leaf) const;
  std::vector<uint32_t> without(uint32_t cluster, uint32_t leaf) const;
  // Of all ways to cut the cluster, the one of the largest gain, or of the smallest reach; none is refused.
  enum class Aim { gain, reach };
  Split best_split(uint32_t cluster, Aim aim);
  // What both have, cut in the middle between them; infinitely bad where that is no better.
  Split even_split(uint32_t a, uint32_t b);
  // The pair that costs least, below `limit`; what is known of other pairs is kept until they change.
  Join cheapest_join(uint32_t not_this, double limit);

  // Steps
  void set_shape(uint32_t cluster, const Fitted& shape);
  void move(uint32_t leaf, uint32_t to, const Fitted& smaller, const Fitted& larger);
  void join(uint32_t into, uint32_t gone, const Fitted& common);
  void split(uint32_t cluster, Split split);  // the second half takes a free cluster
  void share(uint32_t a, uint32_t b, Split split);
  // Joins other clusters until so many are free, for at most that price in sum; none if that does not do.
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
  size_t left_;       // quick looks
  size_t looks_ = 0;  // since the clock was looked at
  std::chrono::steady_clock::time_point deadline_;
  double all_ = static_cast<double>(left_);
  bool closely_ = false, late_ = false;
  std::vector<uint32_t> cluster_of_;
  std::vector<std::vector<uint32_t>> leaves_;  // of a cluster, ascending
  std::vector<uint32_t> free_;                 // clusters, the last to be taken first
  std::vector<Fitted> shape_;
  std::vector<std::optional<Leaf>> whole_;   // all of a cluster's leaves as one; none: not known
  std::vector<std::vector<uint32_t>> near_;  // leaves next to a leaf
  std::vector<Join> join_of_;                // the cheapest of each cluster; kNoCluster: not known
};

}  // namespace hitbox::internal::fit
