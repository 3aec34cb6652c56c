#include "fit/refine/clustering.hpp"

#include <algorithm>
#include <numeric>

#include "fit/shaping/kernel.hpp"
#include "fit/shaping/medial.hpp"
#include "geometry/eigen3.hpp"

namespace hitbox::internal::fit {

namespace {

constexpr size_t kQuickLooks = 8;  // quick evaluations that take as long as one thorough one

const Fitted kNothing = [] {
  Fitted none;
  none.cost = 0;
  return none;
}();

}  // namespace

std::vector<uint32_t> merged(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  std::vector<uint32_t> both;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

Clustering::Clustering(const MeshView& mesh, const LeafSet& set, std::vector<uint32_t> cluster_of_leaf,
                       const Shaper& shaper, const RefineLimits& limits, Run& run)
    : mesh_(mesh),
      set_(set),
      shaper_(shaper),
      run_(run),
      fitter_(shaper.model()),
      left_(kQuickLooks * limits.tries),
      deadline_(limits.deadline),
      cluster_of_(std::move(cluster_of_leaf)) {
  const uint32_t count = 1 + *std::max_element(cluster_of_.begin(), cluster_of_.end());
  leaves_.resize(std::max<size_t>(count, limits.clusters));
  for (uint32_t c = size(); c-- > count;) free_.push_back(c);
  for (uint32_t leaf = 0; leaf < cluster_of_.size(); ++leaf) leaves_[cluster_of_[leaf]].push_back(leaf);
  shape_.resize(leaves_.size(), kNothing);
  join_of_.resize(leaves_.size());
  whole_.resize(leaves_.size());
  run.for_each_block(count, 4, [&](size_t first, size_t last, size_t) {
    Fitter fitter(shaper.model());
    for (size_t c = first; c < last; ++c) {
      whole_[c] = whole(leaves_[c]);
      shape_[c] = shape_around(fitter, *whole_[c], Bounds::kInfinity);
    }
  });
  near_.resize(set.leaves.size());
  for (const FacePair& edge : set.edges) {
    near_[edge.a].push_back(edge.b);
    near_[edge.b].push_back(edge.a);
  }
}

Refined Clustering::take() {
  Refined result;
  std::vector<uint32_t> number(leaves_.size(), kNoCluster);
  for (uint32_t& cluster : cluster_of_) {
    if (number[cluster] == kNoCluster) {
      number[cluster] = static_cast<uint32_t>(result.shapes.size());
      result.shapes.push_back(shape_[cluster]);
    }
    cluster = number[cluster];
  }
  result.cluster_of_leaf = std::move(cluster_of_);
  result.ended_early = late_;
  return result;
}

// ---------------------------------------------------------------- State

double Clustering::total() const {
  double sum = 0;
  for (const Fitted& shape : shape_) sum += shape.cost;
  return sum;
}

std::vector<uint32_t> Clustering::worst_first() const {
  std::vector<uint32_t> order(leaves_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::erase_if(order, [&](uint32_t c) { return leaves_[c].empty(); });
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return shape_[a].cost > shape_[b].cost; });
  return order;
}

std::vector<uint32_t> Clustering::clusters_around(uint32_t leaf) const {
  std::vector<uint32_t> around;
  for (const uint32_t other : near_[leaf]) {
    const uint32_t cluster = cluster_of_[other];
    if (cluster != cluster_of_[leaf] && std::find(around.begin(), around.end(), cluster) == around.end())
      around.push_back(cluster);
  }
  return around;
}

std::vector<uint32_t> Clustering::clusters_next_to(uint32_t cluster) const {
  std::vector<uint32_t> next;
  for (const uint32_t leaf : leaves_[cluster])
    for (const uint32_t other : clusters_around(leaf)) next.push_back(other);
  std::sort(next.begin(), next.end());
  next.erase(std::unique(next.begin(), next.end()), next.end());
  return next;
}

bool Clustering::supports(uint32_t cluster, uint32_t leaf) const {
  constexpr double kDeep = 1e-7;
  std::array<Vec3, kKernelCapacity> points;
  std::array<double, kKernelCapacity> distance;
  const std::vector<uint32_t>& kernel = set_.leaves[leaf].kernel;
  for (size_t k = 0; k < kernel.size(); ++k) points[k] = mesh_.vertices[kernel[k]];
  signed_distance(to_shape(shape_[cluster]), std::span(points).first(kernel.size()),
                  std::span(distance).first(kernel.size()));
  return *std::max_element(distance.begin(), distance.begin() + static_cast<ptrdiff_t>(kernel.size())) > -kDeep;
}

std::vector<uint32_t> Clustering::with(uint32_t cluster, uint32_t leaf) const {
  std::vector<uint32_t> more = leaves_[cluster];
  more.insert(std::upper_bound(more.begin(), more.end(), leaf), leaf);
  return more;
}

std::vector<uint32_t> Clustering::without(uint32_t cluster, uint32_t leaf) const {
  std::vector<uint32_t> rest = leaves_[cluster];
  std::erase(rest, leaf);
  return rest;
}

// ---------------------------------------------------------------- Evaluations

void Clustering::allow_tries(size_t least) { left_ = std::max(left_, kQuickLooks * least); }

void Clustering::count_looks(size_t quick) {
  constexpr size_t kBetweenTimes = 16 * kQuickLooks;
  left_ -= std::min(left_, quick);
  looks_ += quick;
  if (looks_ < kBetweenTimes) return;
  looks_ = 0;
  run_.poll();
  if (is_late()) left_ = 0;
}

void Clustering::look_closely() {
  closely_ = true;
  run_.for_each_block(shape_.size(), 4, [&](size_t first, size_t last, size_t) {
    for (size_t c = first; c < last; ++c)
      if (shape_[c].reach > kOnTheMesh) shape_[c].reach = shaper_.reach(shape_[c]);
  });
}

Leaf Clustering::whole(std::span<const uint32_t> leaves) const {
  if (leaves.size() == 1) return leaf(leaves[0]);
  std::vector<const Leaf*> parts;
  for (const uint32_t each : leaves) parts.push_back(&leaf(each));
  return joined(mesh_, parts);
}

const Leaf& Clustering::whole(uint32_t cluster) {
  if (!whole_[cluster]) whole_[cluster] = whole(leaves_[cluster]);
  return *whole_[cluster];
}

Leaf Clustering::whole_with(uint32_t cluster, uint32_t more) {
  const Leaf* const parts[] = {&whole(cluster), &leaf(more)};
  return joined(mesh_, parts);
}

Leaf Clustering::whole_of_both(uint32_t a, uint32_t b) {
  const Leaf* const parts[] = {&whole(a), &whole(b)};
  return joined(mesh_, parts);
}

std::vector<Frame> Clustering::frames_of(const Leaf& whole) const {
  std::vector<Frame> frames = {eigen3(combined(whole.op, true)).vectors, principal_frame(mesh_.vertices, whole.kernel),
                               whole.edges};
  if (whole.medial.area > 0) frames.push_back(medial_frame(whole.medial));
  return frames;
}

Fitted Clustering::shape_around(Fitter& fitter, const Leaf& all, double enough) const {
  if (all.is_simple) return all.shape;
  fitter.points.assign(mesh_.vertices, all.kernel);
  return without_noise(shaper_.thorough(fitter, frames_of(all), all.medial, enough), all.op, shaper_.model().thickness);
}

Fitted Clustering::tried(std::span<const uint32_t> leaves, double enough) { return tried(whole(leaves), enough); }
Fitted Clustering::tried_with(uint32_t cluster, uint32_t leaf, double enough) {
  return tried(whole_with(cluster, leaf), enough);
}
Fitted Clustering::tried_both(uint32_t a, uint32_t b, double enough) { return tried(whole_of_both(a, b), enough); }

Fitted Clustering::tried(const Leaf& all, double enough) {
  count_looks(kQuickLooks);
  Fitted shape = shape_around(fitter_, all, enough);
  if (closely_ && shape.reach > kOnTheMesh && shape.cost < enough) shape.reach = shaper_.reach(shape);
  return shape;
}

bool Clustering::may_cost_less(uint32_t cluster, uint32_t more, double most) {
  constexpr double kMisjudged = 2;  // another kind or frame is seldom better by this factor
  count_looks(1);
  fitter_.points.assign(mesh_.vertices, whole(cluster).kernel);
  fitter_.points.append(mesh_.vertices, leaf(more).kernel);
  Fitted shape = fitter_.refit(shape_[cluster]);
  shaper_.price(shape, kMisjudged * most);
  return shape.cost < kMisjudged * most;
}

Fitted Clustering::lowest(uint32_t cluster, double most) {
  constexpr size_t kAsTries = 2;
  count_looks(kAsTries * kQuickLooks);
  const Leaf& all = whole(cluster);
  fitter_.points.assign(mesh_.vertices, all.kernel);
  return shaper_.lowest(fitter_, frames_of(all), all.medial, most);
}

// Tries a box in the obvious frame or in that of one of the halves, and along a limb also round shapes.
double Clustering::quick_cost(const Leaf& all, uint32_t like, double enough) {
  count_looks(1);
  fitter_.points.assign(mesh_.vertices, all.kernel);
  const Frame frames[] = {shape_[like].frame, eigen3(combined(all.op, true)).vectors};
  const Fitted shape = shaper_.quick(fitter_, frames, enough);
  double cost = shape.refused ? Bounds::kInfinity : shape.cost;
  const bool along_a_limb = shape_[like].kind != Kind::box && shape_[like].kind != Kind::prism;
  if (along_a_limb && all.medial.area > 0)
    for (Fitted& around : fitter_.round_about(medial_frame(all.medial), all.medial.centroid)) {
      shaper_.price(around, std::min(cost, enough));
      if (!around.refused) cost = std::min(cost, around.cost);
    }
  return cost;
}

void Clustering::sort_along(const Vec3& direction, std::vector<uint32_t>& leaves) const {
  std::stable_sort(leaves.begin(), leaves.end(), [&](uint32_t a, uint32_t b) {
    return dot(direction, leaf(a).box.center()) < dot(direction, leaf(b).box.center());
  });
}

// The widest gap between the leaves' centres along a direction, near the middle of them.
size_t Clustering::widest_gap(std::span<const uint32_t> order, const Vec3& along) const {
  constexpr double kEqual = 1e-6;  // fraction of the whole
  const auto at = [&](size_t k) { return dot(along, leaf(order[k]).box.center()); };
  const double least = kEqual * (at(order.size() - 1) - at(0));
  const size_t middle = order.size() / 2, most = order.size() / 6;
  size_t best = middle;
  for (size_t off = 1; off <= most; ++off)
    for (const size_t k : {middle - off, middle + off})
      if (at(k) - at(k - 1) > at(best) - at(best - 1) + least) best = k;
  return best;
}

static Split halves(std::span<const uint32_t> order, size_t at) {
  Split split;
  split.a.assign(order.begin(), order.begin() + static_cast<ptrdiff_t>(at));
  split.b.assign(order.begin() + static_cast<ptrdiff_t>(at), order.end());
  std::sort(split.a.begin(), split.a.end());
  std::sort(split.b.begin(), split.b.end());
  return split;
}

// Three axes with three positions each, by the leaves' centres.
Split Clustering::best_split(uint32_t cluster, Aim aim) {
  Split best;
  const double cost = shape_[cluster].cost;
  for (int axis = 0; axis < 3 && leaves_[cluster].size() > 1; ++axis) {
    std::vector<uint32_t> order = leaves_[cluster];
    const Vec3 along = shape_[cluster].frame.axis[axis];
    sort_along(along, order);
    for (const size_t quarter : {2u, 1u, 3u}) {
      if (quarter != 2 && order.size() < 4) continue;
      Split split = halves(order, quarter == 2 ? widest_gap(order, along) : order.size() * quarter / 4);
      const double enough = aim == Aim::gain ? cost - std::max(best.gain, 0.0) : Bounds::kInfinity;
      split.shape_a = tried(split.a, enough);
      split.shape_b = tried(split.b, enough - split.shape_a.cost);
      if (split.is_refused()) continue;
      split.gain = cost - split.shape_a.cost - split.shape_b.cost;
      const bool first = best.a.empty();
      if (first || (aim == Aim::gain ? split.gain > best.gain : split.reach() < best.reach())) best = std::move(split);
    }
  }
  return best;
}

Split Clustering::even_split(uint32_t a, uint32_t b) {
  const auto middle = [&](uint32_t c) {
    Bounds box;
    for (const uint32_t k : leaves_[c]) box.add(leaf(k).box);
    return box.center();
  };
  const Vec3 along = middle(b) - middle(a);
  std::vector<uint32_t> order = both(a, b);
  sort_along(along, order);
  Split split = halves(order, widest_gap(order, along));
  if (split.a == leaves_[a]) return {};
  const double now = shape_[a].cost + shape_[b].cost;
  split.shape_a = tried(split.a, now);
  if (split.shape_a.refused || split.shape_a.cost >= now) return {};
  split.shape_b = tried(split.b, now - split.shape_a.cost);
  split.gain = now - split.shape_a.cost - split.shape_b.cost;
  return split;
}

Join Clustering::cheapest_join_of(uint32_t cluster) {
  Join best;
  best.a = cluster;
  for (const uint32_t other : clusters_next_to(cluster)) {
    const double alone = shape_[cluster].cost + shape_[other].cost;
    const double price = quick_cost(whole_of_both(cluster, other), cluster, best.price + alone) - alone;
    if (price < best.price) best = {cluster, other, price};
  }
  return best;
}

Join Clustering::cheapest_join(uint32_t not_this, double limit) {
  std::vector<std::pair<double, uint32_t>> order;  // clusters of low cost first, because their merges are cheap
  for (uint32_t c = 0; c < size(); ++c)
    if (!leaves_[c].empty()) order.push_back({shape_[c].cost, c});
  std::sort(order.begin(), order.end());
  Join best;
  best.price = limit;
  for (const auto& [cost, c] : order) {
    if (!may_look()) break;
    if (c == not_this) continue;
    if (join_of_[c].a == kNoCluster) join_of_[c] = cheapest_join_of(c);
    if (join_of_[c].b == kNoCluster || join_of_[c].b == not_this) continue;
    if (join_of_[c].price < best.price) best = join_of_[c];
  }
  return best;
}

void Clustering::forget(std::initializer_list<uint32_t> changed) {
  for (Join& known : join_of_)
    for (const uint32_t cluster : changed)
      if (known.a == cluster || known.b == cluster) known = {};
  for (const uint32_t cluster : changed) whole_[cluster].reset();
}

// ---------------------------------------------------------------- Steps

void Clustering::set_shape(uint32_t cluster, const Fitted& shape) {
  shape_[cluster] = shape;
  forget({cluster});
}

void Clustering::move(uint32_t leaf, uint32_t to, const Fitted& smaller, const Fitted& larger) {
  const uint32_t from = cluster_of_[leaf];
  std::erase(leaves_[from], leaf);
  leaves_[to] = with(to, leaf);
  shape_[from] = smaller;
  shape_[to] = larger;
  cluster_of_[leaf] = to;
  forget({from, to});
}

void Clustering::join(uint32_t into, uint32_t gone, const Fitted& common) {
  for (const uint32_t leaf : leaves_[gone]) cluster_of_[leaf] = into;
  leaves_[into] = both(into, gone);
  leaves_[gone].clear();
  shape_[into] = common;
  shape_[gone] = kNothing;
  free_.push_back(gone);
  forget({into, gone});
}

void Clustering::split(uint32_t cluster, Split split) {
  const uint32_t other = free_.back();
  free_.pop_back();
  share(cluster, other, std::move(split));
}

void Clustering::share(uint32_t a, uint32_t b, Split split) {
  for (const uint32_t leaf : split.a) cluster_of_[leaf] = a;
  for (const uint32_t leaf : split.b) cluster_of_[leaf] = b;
  leaves_[a] = std::move(split.a);
  leaves_[b] = std::move(split.b);
  shape_[a] = split.shape_a;
  shape_[b] = split.shape_b;
  forget({a, b});
}

bool Clustering::set_free(size_t needed, uint32_t not_this, double price, double most_reach) {
  constexpr int kMostPassedOver = 6;
  struct Before {
    Join pair;
    Split split;
  };
  std::vector<Before> joins;
  for (int passed_over = 0; free_.size() < needed && passed_over < kMostPassedOver;) {
    const Join pair = cheapest_join(not_this, price);
    if (pair.a == kNoCluster) break;
    const Fitted common = tried_both(pair.a, pair.b);
    if (common.refused || common.reach > most_reach) {
      join_of_[pair.a].price = Bounds::kInfinity;  // until one of the two clusters changes
      ++passed_over;
      continue;
    }
    price -= common.cost - shape_[pair.a].cost - shape_[pair.b].cost;
    joins.push_back({pair, {leaves_[pair.a], leaves_[pair.b], shape_[pair.a], shape_[pair.b]}});
    join(pair.a, pair.b, common);
  }
  if (free_.size() >= needed && price >= 0) return true;
  for (; !joins.empty(); joins.pop_back()) {  // undo, the last join first, because its free cluster is the last
    free_.pop_back();
    share(joins.back().pair.a, joins.back().pair.b, std::move(joins.back().split));
  }
  return false;
}

}  // namespace hitbox::internal::fit
