#include "fit/refine/refine.hpp"

#include <algorithm>

#include "fit/refine/clustering.hpp"
#include "fit/refine/cull.hpp"
#include "fit/refine/outliers.hpp"
#include "fit/refine/remerge.hpp"

namespace hitbox::internal::fit {

namespace {

class Refiner {
 public:
  Refiner(const MeshView& mesh, Clustering& clusters, Run& run) : mesh_(mesh), clusters_(clusters), run_(run) {}

  void refine() {
    constexpr int kMostPasses = 6;
    constexpr double kConverged = 0.99;
    for (int pass = 0; pass < kMostPasses && clusters_.may_look(); ++pass) {
      absorb();
      const double before = clusters_.total();
      split_and_merge(clusters_.size() / 8 + 2);
      exchange();
      run_.advance(clusters_.spent());
      if (clusters_.total() > kConverged * before) break;
    }
    reduce_outliers(clusters_, clusters_.size() / 16 + 8, run_);
  }

 private:
  void absorb();
  void split_and_merge(size_t rounds);
  void split(uint32_t cluster);
  void exchange();
  void share_evenly(uint32_t cluster);
  void move_from(uint32_t cluster);
  bool try_move(uint32_t leaf, uint32_t from, uint32_t to);

  const MeshView& mesh_;
  Clustering& clusters_;
  Run& run_;
};

// Clusters inside the shape of another one join it, which frees them. A simple part accepts none, because it must not
// change.
void Refiner::absorb() {
  std::vector<uint32_t> cluster;  // the cluster of each shape
  std::vector<Shape> shapes;
  std::vector<std::vector<Vec3>> points;
  std::vector<uint32_t> group;
  for (uint32_t c = 0; c < clusters_.size(); ++c) {
    if (clusters_.leaves(c).empty()) continue;
    cluster.push_back(c);
    shapes.push_back(to_shape(clusters_.shape(c)));
    group.push_back(clusters_.leaf(clusters_.leaves(c)[0]).group);
    points.emplace_back();
    for (const uint32_t leaf : clusters_.leaves(c))
      for (const uint32_t v : clusters_.leaf(leaf).kernel) points.back().push_back(mesh_.vertices[v]);
  }
  const std::vector<uint32_t> into = superfluous_shapes(shapes, std::move(points), group, run_);
  for (uint32_t k = 0; k < into.size(); ++k) {
    const uint32_t to = cluster[into[k]];
    if (into[k] != k && !clusters_.is_simple(to)) clusters_.join(to, cluster[k], clusters_.shape(to));
  }
}

void Refiner::split_and_merge(size_t rounds) {
  for (const uint32_t cluster : clusters_.worst_first()) {
    if (!clusters_.may_look() || rounds-- == 0) return;
    run_.poll();
    if (clusters_.shape(cluster).reach > kOnTheMesh) split(cluster);
  }
}

// The second half uses a free cluster, or one that joining two others frees.
void Refiner::split(uint32_t cluster) {
  const double least_gain = kWorthwhile * clusters_.shape(cluster).cost;
  Split split = clusters_.best_split(cluster, Clustering::Aim::gain);
  if (!(split.gain > least_gain)) {
    remerge(clusters_, cluster, least_gain, Bounds::kInfinity);
    return;
  }
  if (!clusters_.set_free(1, cluster, split.gain, Bounds::kInfinity)) return;
  clusters_.split(cluster, std::move(split));
}

// Only the worse half of the clusters: the others have little to gain.
void Refiner::exchange() {
  std::vector<uint32_t> order = clusters_.worst_first();
  order.resize((order.size() + 1) / 2);
  for (const uint32_t cluster : order) {
    if (!clusters_.may_look()) return;
    run_.poll();
    share_evenly(cluster);
    move_from(cluster);
  }
}

// Along a tube a longer piece gives a whole ring to a shorter one. Moving its leaves one by one would make both worse.
void Refiner::share_evenly(uint32_t cluster) {
  for (const uint32_t other : clusters_.clusters_next_to(cluster)) {
    if (!clusters_.may_look()) return;
    Split split = clusters_.even_split(cluster, other);
    const double now = clusters_.shape(cluster).cost + clusters_.shape(other).cost;
    if (!(split.gain > kWorthwhile * now) || split.is_refused()) continue;
    clusters_.share(cluster, other, std::move(split));
    return;
  }
}

void Refiner::move_from(uint32_t cluster) {
  const std::vector<uint32_t> leaves = clusters_.leaves(cluster);
  for (const uint32_t leaf : leaves) {
    if (clusters_.leaves(cluster).size() < 2 || !clusters_.may_look()) return;
    const std::vector<uint32_t> around = clusters_.clusters_around(leaf);
    if (around.empty() || !clusters_.supports(cluster, leaf)) continue;
    for (const uint32_t to : around)
      if (try_move(leaf, cluster, to)) break;
  }
}

bool Refiner::try_move(uint32_t leaf, uint32_t from, uint32_t to) {
  const double own = clusters_.shape(from).cost, now = own + clusters_.shape(to).cost;
  if (!clusters_.may_cost_less(to, leaf, now)) return false;
  const Fitted larger = clusters_.tried_with(to, leaf, now);
  if (larger.refused || larger.cost >= now) return false;
  const Fitted smaller = clusters_.tried(clusters_.without(from, leaf), now - larger.cost);
  if (smaller.refused && !clusters_.shape(from).refused) return false;
  if (larger.cost + smaller.cost >= now - kWorthwhile * own) return false;
  clusters_.move(leaf, to, smaller, larger);
  return true;
}

}  // namespace

Refined refine(const MeshView& mesh, const LeafSet& set, std::vector<uint32_t> cluster_of_leaf, const Shaper& shaper,
               const RefineLimits& limits, Run& run) {
  Clustering clusters(mesh, set, std::move(cluster_of_leaf), shaper, limits, run);
  Refiner(mesh, clusters, run).refine();
  return clusters.take();
}

}  // namespace hitbox::internal::fit
