#include "refine.hpp"

#include <algorithm>
#include <numeric>

#include "../geometry/eigen3.hpp"
#include "cull.hpp"
#include "kernel.hpp"
#include "medial.hpp"

namespace hitbox {

namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr double kLower = 0.9;  // of a reach: what is lowered is lowered at least to this
constexpr double kOnTheMesh = 5e-5;  // a reach, of the diagonal: nothing to be gained
constexpr size_t kTriesAPeak = 30;
constexpr size_t kQuickTries = 8;  // quick looks that take as long as one thorough try
constexpr size_t kFewLeaves = 24;  // that merging anew is worth the time
constexpr int kJoinsTried = 6;
constexpr double kPricePeak = 2;  // average costs: what lowering one may add in sum
constexpr double kWorthwhile = 1e-3;  // of a cost: smaller gains are noise of the samples

const Fitted kNothing = [] {
  Fitted none;
  none.cost = 0;
  return none;
}();

class Refiner {
 public:
  Refiner(const MeshView& mesh, const LeafSet& set, std::vector<uint32_t> cluster_of_leaf, const Shaper& shaper,
          const RefineLimits& limits, Run& run)
      : mesh_(mesh), set_(set), shaper_(shaper), fitter_(shaper.model()), run_(run), left_(kQuickTries * limits.tries),
        deadline_(limits.deadline), cluster_of_(std::move(cluster_of_leaf)) {
    const uint32_t count = 1 + *std::max_element(cluster_of_.begin(), cluster_of_.end());
    leaves_.resize(std::max<size_t>(count, limits.clusters));
    for (auto c = static_cast<uint32_t>(leaves_.size()); c-- > count;) free_.push_back(c);
    for (uint32_t leaf = 0; leaf < cluster_of_.size(); ++leaf) leaves_[cluster_of_[leaf]].push_back(leaf);
    shape_.resize(leaves_.size(), kNothing);
    join_of_.resize(leaves_.size());
    run.for_each_block(count, 4, [&](size_t first, size_t last, size_t) {
      Fitter fitter(shaper.model());
      for (size_t c = first; c < last; ++c) shape_[c] = shape_around(fitter, leaves_[c]);
    });
    near_.resize(set.leaves.size());
    for (const FacePair& edge : set.edges) {
      near_[edge.a].push_back(edge.b);
      near_[edge.b].push_back(edge.a);
    }
  }

  void refine() {
    constexpr int kMostPasses = 6;
    constexpr double kConverged = 0.99;
    absorb();
    for (int pass = 0; pass < kMostPasses && left_ > 0; ++pass) {
      const double before = total();
      split_and_merge(leaves_.size() / 8 + 2);
      exchange();
      run_.advance(1 - static_cast<double>(left_) / all_);
      if (total() > kConverged * before) break;
    }
    lower_peaks(leaves_.size() / 16 + 8);
  }

  // Numbered in the order of the clusters' first leaves.
  Refined take() {
    Refined result;
    std::vector<uint32_t> number(leaves_.size(), kNone);
    for (uint32_t& cluster : cluster_of_) {
      if (number[cluster] == kNone) {
        number[cluster] = static_cast<uint32_t>(result.shapes.size());
        result.shapes.push_back(shape_[cluster]);
      }
      cluster = number[cluster];
    }
    result.cluster_of_leaf = std::move(cluster_of_);
    return result;
  }

 private:
  double total() const {
    double sum = 0;
    for (const Fitted& shape : shape_) sum += shape.cost;
    return sum;
  }
  double average() const { return total() / static_cast<double>(shape_.size()); }
  Leaf whole(std::span<const uint32_t> leaves) const;
  std::vector<Frame> frames_of(const Leaf& whole) const;
  Fitted shape_around(Fitter& fitter, std::span<const uint32_t> leaves, double enough = Bounds::kInfinity) const;
  void count_looks(size_t quick) {
    left_ -= std::min(left_, quick);
    looks_ += quick;
    if (looks_ < kQuickTries * 16) return;
    looks_ = 0;
    if (is_late()) left_ = 0;
  }
  bool is_late() const { return std::chrono::steady_clock::now() >= deadline_; }
  // What costs `enough` or more is of no use, and not measured to the end.
  Fitted tried(std::span<const uint32_t> leaves, double enough = Bounds::kInfinity) {
    count_looks(kQuickTries);
    Fitted shape = shape_around(fitter_, leaves, enough);
    if (closely_ && shape.reach > kOnTheMesh && shape.cost < enough) shape.reach = shaper_.reach(shape);
    return shape;
  }
  std::vector<uint32_t> worst_first() const {
    std::vector<uint32_t> order(leaves_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::erase_if(order, [&](uint32_t c) { return leaves_[c].empty(); });
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return shape_[a].cost > shape_[b].cost; });
    return order;
  }
  std::vector<uint32_t> clusters_around(uint32_t leaf) const;
  std::vector<uint32_t> clusters_next_to(uint32_t cluster) const;
  double sticks_out(const Shape& shape, uint32_t leaf) const;  // below 0: how deep it lies inside
  // Whether the shape could be smaller without this leaf: it reaches the shape's surface.
  bool supports(const Shape& shape, uint32_t leaf) const { return sticks_out(shape, leaf) > -1e-7; }
  bool move_from(uint32_t cluster);
  bool try_move(uint32_t leaf, uint32_t to);
  bool share_evenly(uint32_t cluster, uint32_t other);
  size_t widest_gap(std::span<const uint32_t> order, const Vec3& along) const;
  void exchange();
  void split_and_merge(size_t rounds);
  struct Split {
    std::vector<uint32_t> a, b;
    Fitted shape_a, shape_b;
    double gain = -Bounds::kInfinity;
    double reach() const { return std::max(shape_a.reach, shape_b.reach); }
  };
  struct Join {
    uint32_t a = kNone, b = kNone;
    double price = Bounds::kInfinity;  // by a quick look: no less than the true one
  };
  // Of all ways to cut the cluster, the one of the largest gain, or of the smallest reach.
  enum class Aim { gain, reach };
  Split best_split(uint32_t cluster, Aim aim);
  bool swap(uint32_t cluster, Split split, const Join& join, double most_reach);
  void take_split(uint32_t cluster, Split split);
  void absorb();
  bool is_simple(uint32_t cluster) const {
    return leaves_[cluster].size() == 1 && set_.leaves[leaves_[cluster][0]].has_simple;
  }
  std::vector<uint32_t> leaves_of_both(uint32_t a, uint32_t b) const;
  void join(uint32_t into, uint32_t gone, const Fitted& common);
  void forget_joins(std::initializer_list<uint32_t> changed);
  void lower_peaks(size_t rounds);
  bool lower_by_another_shape(uint32_t cluster);
  bool lower_by_joining(uint32_t cluster);
  bool lower_by_moving(uint32_t cluster);
  bool lower_by_splitting(uint32_t cluster);
  bool lower_by_scattering(uint32_t cluster);
  // Clusters that one could become, and how far they reach at most.
  struct Pieces {
    std::vector<std::vector<uint32_t>> leaves;
    std::vector<Fitted> shapes;
    double cost() const;
    double reach() const;
    bool is_refused() const;
  };
  Pieces best_pieces(uint32_t cluster, double price_of_one, double most_reach);
  bool scatter(uint32_t cluster, double least_gain, double most_reach);
  bool set_free(size_t needed, uint32_t not_this, double price, double most_reach);
  std::vector<uint32_t> with(uint32_t cluster, uint32_t leaf) const;  // the leaves there would be
  std::vector<uint32_t> without(uint32_t cluster, uint32_t leaf) const;
  void move(uint32_t leaf, uint32_t to, const Fitted& smaller, const Fitted& larger);
  double quick_cost(std::span<const uint32_t> leaves, uint32_t like, double enough);
  Join cheapest_join(uint32_t not_this, double limit);

  const MeshView& mesh_;
  const LeafSet& set_;
  const Shaper& shaper_;
  Fitter fitter_;
  Run& run_;
  size_t left_;  // quick looks
  size_t looks_ = 0;  // since the clock was looked at
  std::chrono::steady_clock::time_point deadline_;
  double all_ = static_cast<double>(left_);
  bool closely_ = false;  // how far shapes reach is looked at closely
  std::vector<uint32_t> cluster_of_;
  std::vector<std::vector<uint32_t>> leaves_;  // of a cluster; none: it is free
  std::vector<uint32_t> free_;                 // clusters, the last to be taken first
  std::vector<Fitted> shape_;
  std::vector<std::vector<uint32_t>> near_;    // leaves next to a leaf
  std::vector<Join> join_of_;                  // the cheapest merge of each cluster; kNone: not known
};

std::vector<Frame> Refiner::frames_of(const Leaf& whole) const {
  std::vector<Frame> frames = {eigen3(combined(whole.op, true)).vectors,
                               principal_frame(mesh_.vertices, whole.kernel), whole.edges};
  if (whole.medial.area > 0) frames.push_back(medial_frame(whole.medial));
  return frames;
}

Leaf Refiner::whole(std::span<const uint32_t> leaves) const {
  std::vector<const Leaf*> parts;
  for (const uint32_t leaf : leaves) parts.push_back(&set_.leaves[leaf]);
  return joined(mesh_, parts);
}

Fitted Refiner::shape_around(Fitter& fitter, std::span<const uint32_t> leaves, double enough) const {
  const Leaf& first = set_.leaves[leaves[0]];
  if (leaves.size() == 1 && (first.has_simple || first.shape.about_center)) return first.shape;
  const Leaf all = whole(leaves);
  fitter.points.assign(mesh_.vertices, all.kernel);
  Fitted shape = shaper_.thorough(fitter, frames_of(all), all.medial, enough);
  if (fills_nothing(shape, all.op, shaper_.model().thickness)) shape.cost = shape.reach = 0;
  return shape;
}

// Of a box in the obvious frame, or that of one of the parts; along a limb also of what is round about it.
double Refiner::quick_cost(std::span<const uint32_t> leaves, uint32_t like, double enough) {
  count_looks(1);
  const Leaf all = whole(leaves);
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

std::vector<uint32_t> Refiner::clusters_around(uint32_t leaf) const {
  std::vector<uint32_t> around;
  for (const uint32_t other : near_[leaf]) {
    const uint32_t cluster = cluster_of_[other];
    if (cluster != cluster_of_[leaf] && std::find(around.begin(), around.end(), cluster) == around.end())
      around.push_back(cluster);
  }
  return around;
}

std::vector<uint32_t> Refiner::clusters_next_to(uint32_t cluster) const {
  std::vector<uint32_t> next;
  for (const uint32_t leaf : leaves_[cluster])
    for (const uint32_t other : clusters_around(leaf)) next.push_back(other);
  std::sort(next.begin(), next.end());
  next.erase(std::unique(next.begin(), next.end()), next.end());
  return next;
}

double Refiner::sticks_out(const Shape& shape, uint32_t leaf) const {
  std::array<Vec3, kKernelCapacity> points;
  std::array<double, kKernelCapacity> distance;
  const std::vector<uint32_t>& kernel = set_.leaves[leaf].kernel;
  for (size_t k = 0; k < kernel.size(); ++k) points[k] = mesh_.vertices[kernel[k]];
  signed_distance(shape, std::span(points).first(kernel.size()), std::span(distance).first(kernel.size()));
  return *std::max_element(distance.begin(), distance.begin() + static_cast<ptrdiff_t>(kernel.size()));
}

bool Refiner::try_move(uint32_t leaf, uint32_t to) {
  const uint32_t from = cluster_of_[leaf];
  const double now = shape_[from].cost + shape_[to].cost;
  const Fitted larger = tried(with(to, leaf), now);
  if (larger.refused || larger.cost >= now) return false;
  const Fitted smaller = tried(without(from, leaf), now - larger.cost);
  if (smaller.refused && !shape_[from].refused) return false;
  if (larger.cost + smaller.cost >= now - kWorthwhile * shape_[from].cost) return false;
  move(leaf, to, smaller, larger);
  return true;
}

void Refiner::move(uint32_t leaf, uint32_t to, const Fitted& smaller, const Fitted& larger) {
  const uint32_t from = cluster_of_[leaf];
  std::erase(leaves_[from], leaf);
  leaves_[to] = with(to, leaf);
  shape_[from] = smaller;
  shape_[to] = larger;
  cluster_of_[leaf] = to;
  forget_joins({from, to});
}

std::vector<uint32_t> Refiner::with(uint32_t cluster, uint32_t leaf) const {
  std::vector<uint32_t> more = leaves_[cluster];
  more.insert(std::upper_bound(more.begin(), more.end(), leaf), leaf);
  return more;
}

std::vector<uint32_t> Refiner::without(uint32_t cluster, uint32_t leaf) const {
  std::vector<uint32_t> rest = leaves_[cluster];
  std::erase(rest, leaf);
  return rest;
}

bool Refiner::move_from(uint32_t cluster) {
  bool any = false;
  const std::vector<uint32_t> leaves = leaves_[cluster];
  for (const uint32_t leaf : leaves) {
    if (leaves_[cluster].size() < 2 || left_ == 0) break;
    const std::vector<uint32_t> around = clusters_around(leaf);
    if (around.empty() || !supports(to_shape(shape_[cluster]), leaf)) continue;
    for (const uint32_t to : around) {
      if (!try_move(leaf, to)) continue;
      any = true;
      break;
    }
  }
  return any;
}

void Refiner::exchange() {
  for (const uint32_t cluster : worst_first()) {
    if (left_ == 0) return;
    run_.poll();
    for (const uint32_t other : clusters_next_to(cluster))
      if (share_evenly(cluster, other)) break;
    move_from(cluster);
  }
}

// Where the leaves' centres along a direction are furthest apart, around the middle of them.
size_t Refiner::widest_gap(std::span<const uint32_t> order, const Vec3& along) const {
  const auto at = [&](size_t k) { return dot(along, set_.leaves[order[k]].box.center()); };
  constexpr double kEqual = 1e-6;  // of the whole
  const double least = kEqual * (at(order.size() - 1) - at(0));
  size_t best = order.size() / 2;
  const size_t most = order.size() / 6;
  for (size_t off = 1; off <= most; ++off)
    for (const size_t k : {order.size() / 2 - off, order.size() / 2 + off})
      if (at(k) - at(k - 1) > at(best) - at(best - 1) + least) best = k;
  return best;
}

// Cuts what two clusters have in the middle between them. Along a tube a longer piece gives a whole ring to a
// shorter one: its leaves one by one would only make both worse.
bool Refiner::share_evenly(uint32_t cluster, uint32_t other) {
  if (left_ == 0) return false;
  const auto middle = [&](uint32_t c) {
    Bounds box;
    for (const uint32_t leaf : leaves_[c]) box.add(set_.leaves[leaf].box);
    return box.center();
  };
  const Vec3 along = middle(other) - middle(cluster);
  std::vector<uint32_t> order = leaves_of_both(cluster, other);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return dot(along, set_.leaves[a].box.center()) < dot(along, set_.leaves[b].box.center());
  });
  const auto half = order.begin() + static_cast<ptrdiff_t>(widest_gap(order, along));
  Split split{{order.begin(), half}, {half, order.end()}, {}, {}};
  std::sort(split.a.begin(), split.a.end());
  std::sort(split.b.begin(), split.b.end());
  if (split.a == leaves_[cluster]) return false;
  const double now = shape_[cluster].cost + shape_[other].cost;
  split.shape_a = tried(split.a, now);
  if (split.shape_a.refused || split.shape_a.cost >= now) return false;
  split.shape_b = tried(split.b, now - split.shape_a.cost);
  if (split.shape_b.refused || split.shape_a.cost + split.shape_b.cost >= (1 - kWorthwhile) * now) return false;
  for (const uint32_t leaf : split.a) cluster_of_[leaf] = cluster;
  for (const uint32_t leaf : split.b) cluster_of_[leaf] = other;
  leaves_[cluster] = std::move(split.a);
  leaves_[other] = std::move(split.b);
  shape_[cluster] = split.shape_a;
  shape_[other] = split.shape_b;
  forget_joins({cluster, other});
  return true;
}

// Three axes, three places each, by the leaves' centres.
Refiner::Split Refiner::best_split(uint32_t cluster, Aim aim) {
  Split best;
  const std::vector<uint32_t>& leaves = leaves_[cluster];
  if (leaves.size() < 2) return best;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<uint32_t> order = leaves;
    const Vec3 along = shape_[cluster].frame.axis[axis];
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return dot(along, set_.leaves[a].box.center()) < dot(along, set_.leaves[b].box.center());
    });
    for (const size_t quarter : {2u, 1u, 3u}) {
      const size_t at = quarter == 2 ? widest_gap(order, along) : order.size() * quarter / 4;
      if (at == 0 || at == order.size() || (quarter != 2 && order.size() < 4)) continue;
      Split split;
      split.a.assign(order.begin(), order.begin() + static_cast<ptrdiff_t>(at));
      split.b.assign(order.begin() + static_cast<ptrdiff_t>(at), order.end());
      std::sort(split.a.begin(), split.a.end());
      std::sort(split.b.begin(), split.b.end());
      const double enough = aim == Aim::gain ? shape_[cluster].cost - std::max(best.gain, 0.0) : Bounds::kInfinity;
      split.shape_a = tried(split.a, enough);
      split.shape_b = tried(split.b, enough - split.shape_a.cost);
      split.gain = shape_[cluster].cost - split.shape_a.cost - split.shape_b.cost;
      const bool first = best.a.empty();
      if (first || (aim == Aim::gain ? split.gain > best.gain : split.reach() < best.reach())) best = std::move(split);
    }
  }
  return best;
}

// The pair that costs least, below `limit`; what is known of other pairs is kept until they change.
Refiner::Join Refiner::cheapest_join(uint32_t not_this, double limit) {
  std::vector<std::pair<double, uint32_t>> order;  // small costs first: their merges are the cheap ones
  for (uint32_t c = 0; c < leaves_.size(); ++c)
    if (!leaves_[c].empty()) order.push_back({shape_[c].cost, c});
  std::sort(order.begin(), order.end());
  Join best;
  best.price = limit;
  for (const auto& [cost, c] : order) {
    if (left_ == 0) break;
    if (c == not_this) continue;
    if (join_of_[c].a == kNone) {
      Join own;
      own.a = c;
      for (const uint32_t other : clusters_next_to(c)) {
        const double alone = shape_[c].cost + shape_[other].cost;
        const double price = quick_cost(leaves_of_both(c, other), c, own.price + alone) - alone;
        if (price < own.price) own = {c, other, price};
      }
      join_of_[c] = own;
    }
    if (join_of_[c].b == kNone || join_of_[c].b == not_this) continue;
    if (join_of_[c].price < best.price) best = join_of_[c];
  }
  return best;
}

std::vector<uint32_t> Refiner::leaves_of_both(uint32_t a, uint32_t b) const {
  std::vector<uint32_t> both;
  std::merge(leaves_[a].begin(), leaves_[a].end(), leaves_[b].begin(), leaves_[b].end(), std::back_inserter(both));
  return both;
}

void Refiner::join(uint32_t into, uint32_t gone, const Fitted& common) {
  for (const uint32_t leaf : leaves_[gone]) cluster_of_[leaf] = into;
  leaves_[into] = leaves_of_both(into, gone);
  leaves_[gone].clear();
  shape_[into] = common;
  shape_[gone] = kNothing;
  free_.push_back(gone);
  forget_joins({into, gone});
}

// The second half takes a free cluster.
void Refiner::take_split(uint32_t cluster, Split split) {
  const uint32_t other = free_.back();
  free_.pop_back();
  for (const uint32_t leaf : split.b) cluster_of_[leaf] = other;
  leaves_[cluster] = std::move(split.a);
  leaves_[other] = std::move(split.b);
  shape_[cluster] = split.shape_a;
  shape_[other] = split.shape_b;
  forget_joins({cluster, other});
}

// Splits `cluster`, and pays for it by joining two others; refuses shapes that reach further than allowed.
bool Refiner::swap(uint32_t cluster, Split split, const Join& pair, double most_reach) {
  const Fitted common = tried(leaves_of_both(pair.a, pair.b));
  if (common.refused || split.shape_a.refused || split.shape_b.refused || common.reach > most_reach) return false;
  join(pair.a, pair.b, common);
  take_split(cluster, std::move(split));
  return true;
}

// Clusters inside the shape of another one go to it, and are free for something better. A simple part stays
// what it is, and takes nothing in.
void Refiner::absorb() {
  std::vector<Shape> shapes;
  std::vector<std::vector<Vec3>> points;
  std::vector<uint32_t> group;
  for (size_t c = 0; c < leaves_.size() && !leaves_[c].empty(); ++c) {
    shapes.push_back(to_shape(shape_[c]));
    group.push_back(set_.leaves[leaves_[c][0]].group);
    points.emplace_back();
    for (const uint32_t leaf : leaves_[c])
      for (const uint32_t v : set_.leaves[leaf].kernel) points.back().push_back(mesh_.vertices[v]);
  }
  const std::vector<uint32_t> into = superfluous_shapes(shapes, std::move(points), group, run_);
  for (uint32_t c = 0; c < into.size(); ++c)
    if (into[c] != c && !is_simple(into[c])) join(into[c], c, shape_[into[c]]);
}

void Refiner::forget_joins(std::initializer_list<uint32_t> changed) {
  for (Join& known : join_of_)
    for (const uint32_t cluster : changed)
      if (known.a == cluster || known.b == cluster) known = {};
}

void Refiner::split_and_merge(size_t rounds) {
  for (const uint32_t cluster : worst_first()) {
    if (left_ == 0 || rounds-- == 0) return;
    run_.poll();
    if (shape_[cluster].reach <= kOnTheMesh) continue;
    Split split = best_split(cluster, Aim::gain);
    if (!(split.gain > kWorthwhile * shape_[cluster].cost)) {
      scatter(cluster, kWorthwhile * shape_[cluster].cost, Bounds::kInfinity);
      continue;
    }
    if (!free_.empty() && !split.shape_a.refused && !split.shape_b.refused) {
      take_split(cluster, std::move(split));
      continue;
    }
    const Join join = cheapest_join(cluster, split.gain);
    if (join.a != kNone) swap(cluster, std::move(split), join, Bounds::kInfinity);
  }
}

// The shapes that reach furthest are lowered, one after the other. What lies inside other shapes cannot be
// seen, and is not known here: so one that cannot be lowered does not end it.
void Refiner::lower_peaks(size_t rounds) {
  if (is_late()) return;
  left_ = std::max(left_, kQuickTries * kTriesAPeak * rounds);  // peaks are what people see
  closely_ = true;
  for (Fitted& shape : shape_)
    if (shape.reach > kOnTheMesh) shape.reach = shaper_.reach(shape);
  std::vector<double> stuck_at(leaves_.size(), Bounds::kInfinity);
  while (rounds-- > 0 && left_ > 0) {
    run_.poll();
    uint32_t highest = kNone;
    for (uint32_t c = 0; c < shape_.size(); ++c)
      if (shape_[c].reach < stuck_at[c] && (highest == kNone || shape_[c].reach > shape_[highest].reach)) highest = c;
    if (highest == kNone || shape_[highest].reach <= kOnTheMesh) return;
    if (!lower_by_another_shape(highest) && !lower_by_joining(highest) && !lower_by_moving(highest) &&
        !lower_by_splitting(highest) && !lower_by_scattering(highest))
      stuck_at[highest] = shape_[highest].reach;
  }
}

bool Refiner::lower_by_another_shape(uint32_t cluster) {
  if (is_simple(cluster)) return false;
  count_looks(4 * kQuickTries);
  const Leaf all = whole(leaves_[cluster]);
  fitter_.points.assign(mesh_.vertices, all.kernel);
  const std::vector<Frame> frames = frames_of(all);
  // Half as far may cost more.
  for (const auto& [lower, price] : {std::pair{0.5, 4 * kPricePeak}, {kLower, kPricePeak}}) {
    const Fitted other = shaper_.lowest(fitter_, frames, all.medial, shape_[cluster].cost + price * average());
    if (other.reach > lower * shape_[cluster].reach) continue;
    shape_[cluster] = other;
    forget_joins({cluster});
    return true;
  }
  return false;
}

// Two triangles of a rectangle: the box around both reaches less far than that around each.
bool Refiner::lower_by_joining(uint32_t cluster) {
  uint32_t with = kNone;
  Fitted best;
  for (const uint32_t other : clusters_next_to(cluster)) {
    const double most = shape_[other].cost + shape_[cluster].cost + kPricePeak * average();
    const Fitted common = tried(leaves_of_both(cluster, other), most);
    if (common.refused || common.cost >= most || common.reach > kLower * shape_[cluster].reach) continue;
    if (with != kNone && common.cost - shape_[other].cost >= best.cost - shape_[with].cost) continue;
    with = other;
    best = common;
  }
  if (with == kNone) return false;
  join(cluster, with, best);
  return true;
}

// A leaf goes to a neighbour, where neither shape then reaches as far.
bool Refiner::lower_by_moving(uint32_t cluster) {
  const double most_reach = kLower * shape_[cluster].reach, price = kPricePeak * average();
  const std::vector<uint32_t> leaves = leaves_[cluster];
  if (leaves.size() < 2) return false;
  for (const uint32_t leaf : leaves) {
    const std::vector<uint32_t> around = clusters_around(leaf);
    if (around.empty() || !supports(to_shape(shape_[cluster]), leaf)) continue;
    const Fitted smaller = tried(without(cluster, leaf));
    if (smaller.reach > most_reach || smaller.refused) continue;
    for (const uint32_t to : around) {
      const double most = shape_[cluster].cost + shape_[to].cost + price - smaller.cost;
      const Fitted larger = tried(with(to, leaf), most);
      if (larger.refused || larger.cost >= most || larger.reach > most_reach) continue;
      move(leaf, to, smaller, larger);
      return true;
    }
  }
  return false;
}

bool Refiner::lower_by_splitting(uint32_t cluster) {
  const double most_reach = kLower * shape_[cluster].reach;
  const Split split = best_split(cluster, Aim::reach);
  if (split.a.empty() || split.reach() > most_reach || split.shape_a.refused || split.shape_b.refused) return false;
  if (!free_.empty()) {
    take_split(cluster, split);
    return true;
  }
  for (int k = 0; k < kJoinsTried; ++k) {
    const Join join = cheapest_join(cluster, kPricePeak * average() + std::max(split.gain, 0.0));
    if (join.a == kNone) return false;
    if (swap(cluster, split, join, most_reach)) return true;
    join_of_[join.a].price = Bounds::kInfinity;  // it reaches too far, for this peak and the lower ones
  }
  return false;
}

double Refiner::Pieces::cost() const {
  double sum = 0;
  for (const Fitted& shape : shapes) sum += shape.cost;
  return sum;
}

double Refiner::Pieces::reach() const {
  double most = 0;
  for (const Fitted& shape : shapes) most = std::max(most, shape.reach);
  return most;
}

bool Refiner::Pieces::is_refused() const {
  return std::any_of(shapes.begin(), shapes.end(), [](const Fitted& shape) { return shape.refused; });
}

// Merges a cluster's leaves anew, from each for itself. Of all numbers of pieces that reach no further than
// allowed, the one that costs least, where each piece more has its price; none if there is none.
Refiner::Pieces Refiner::best_pieces(uint32_t cluster, double price_of_one, double most_reach) {
  Pieces now, best;
  for (const uint32_t leaf : leaves_[cluster]) {
    now.leaves.push_back({leaf});
    now.shapes.push_back(tried(now.leaves.back()));
  }
  double least = Bounds::kInfinity;
  std::vector<std::vector<Fitted>> common(now.shapes.size(), std::vector<Fitted>(now.shapes.size()));
  const auto touch = [&](const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
    return std::any_of(a.begin(), a.end(), [&](uint32_t leaf) {
      return std::any_of(near_[leaf].begin(), near_[leaf].end(),
                         [&](uint32_t other) { return std::binary_search(b.begin(), b.end(), other); });
    });
  };
  const auto look_at = [&](size_t a, size_t b) {
    if (!touch(now.leaves[a], now.leaves[b])) return;
    std::vector<uint32_t> both;
    std::merge(now.leaves[a].begin(), now.leaves[a].end(), now.leaves[b].begin(), now.leaves[b].end(),
               std::back_inserter(both));
    common[a][b] = common[b][a] = tried(both);
  };
  for (size_t b = 1; b < now.shapes.size(); ++b)
    for (size_t a = 0; a < b; ++a) look_at(a, b);
  while (now.shapes.size() > 1 && left_ > 0) {
    const size_t count = now.shapes.size();
    const double total = now.cost() + price_of_one * static_cast<double>(count - 1);
    if (total < least && now.reach() <= most_reach && !now.is_refused()) {
      least = total;
      best = now;
    }
    size_t into = 0, gone = 0;
    double cheapest = Bounds::kInfinity;
    for (size_t b = 1; b < count; ++b)
      for (size_t a = 0; a < b; ++a) {
        const double price = common[a][b].cost - now.shapes[a].cost - now.shapes[b].cost;
        if (!(price < cheapest)) continue;
        cheapest = price;
        into = a;
        gone = b;
      }
    if (gone == 0) break;
    std::vector<uint32_t> both;
    std::merge(now.leaves[into].begin(), now.leaves[into].end(), now.leaves[gone].begin(), now.leaves[gone].end(),
               std::back_inserter(both));
    now.leaves[into] = both;
    now.shapes[into] = common[into][gone];
    const auto at = static_cast<ptrdiff_t>(gone);
    now.leaves.erase(now.leaves.begin() + at);
    now.shapes.erase(now.shapes.begin() + at);
    common.erase(common.begin() + at);
    for (auto& row : common) row.erase(row.begin() + at);
    for (size_t k = 0; k < now.shapes.size(); ++k) {
      if (k == into) continue;
      common[into][k] = common[k][into] = Fitted{};
      look_at(into, k);
    }
  }
  return best;
}

// Joins other clusters until so many are free, for at most that price in sum; none if that does not do.
bool Refiner::set_free(size_t needed, uint32_t not_this, double price, double most_reach) {
  struct Before {
    uint32_t a, b;
    std::vector<uint32_t> leaves_a, leaves_b;
    Fitted shape_a, shape_b;
  };
  std::vector<Before> joins;
  while (free_.size() < needed) {
    const Join pair = cheapest_join(not_this, price);
    if (pair.a == kNone) break;
    const Fitted common = tried(leaves_of_both(pair.a, pair.b));
    if (common.refused || common.reach > most_reach) {
      join_of_[pair.a].price = Bounds::kInfinity;
      continue;
    }
    price -= common.cost - shape_[pair.a].cost - shape_[pair.b].cost;
    joins.push_back({pair.a, pair.b, leaves_[pair.a], leaves_[pair.b], shape_[pair.a], shape_[pair.b]});
    join(pair.a, pair.b, common);
  }
  if (free_.size() >= needed && price >= 0) return true;
  for (; !joins.empty(); joins.pop_back()) {  // the last one first: its free cluster is the last
    Before& before = joins.back();
    free_.pop_back();
    for (const uint32_t leaf : before.leaves_b) cluster_of_[leaf] = before.b;
    leaves_[before.a] = std::move(before.leaves_a);
    leaves_[before.b] = std::move(before.leaves_b);
    shape_[before.a] = before.shape_a;
    shape_[before.b] = before.shape_b;
    forget_joins({before.a, before.b});
  }
  return false;
}

// A cluster as several, which others pay for by joining. A hexagon of four triangles is no better in two
// halves, but each of the triangles is half a trapezoid.
bool Refiner::scatter(uint32_t cluster, double least_gain, double most_reach) {
  if (leaves_[cluster].size() < 3 || leaves_[cluster].size() > kFewLeaves) return false;
  const double most = shape_[cluster].cost - least_gain;
  double price = 0;
  if (free_.empty()) {
    const Join join = cheapest_join(cluster, most);
    if (join.a == kNone) return false;
    price = join.price;
  }
  const Pieces pieces = best_pieces(cluster, price, most_reach);
  if (pieces.shapes.empty()) return false;
  if (!set_free(pieces.shapes.size() - 1, cluster, most - pieces.cost(), most_reach)) return false;
  std::vector<uint32_t> rest = leaves_[cluster];
  for (size_t k = 1; k < pieces.shapes.size(); ++k) {
    std::vector<uint32_t> others;
    std::set_difference(rest.begin(), rest.end(), pieces.leaves[k].begin(), pieces.leaves[k].end(),
                        std::back_inserter(others));
    rest = std::move(others);
    take_split(cluster, {rest, pieces.leaves[k], pieces.shapes[0], pieces.shapes[k]});
  }
  return true;
}

bool Refiner::lower_by_scattering(uint32_t cluster) {
  return scatter(cluster, -kPricePeak * average(), kLower * shape_[cluster].reach);
}

}  // namespace

Refined refine(const MeshView& mesh, const LeafSet& set, std::vector<uint32_t> cluster_of_leaf,
               const Shaper& shaper, const RefineLimits& limits, Run& run) {
  Refiner refiner(mesh, set, std::move(cluster_of_leaf), shaper, limits, run);
  refiner.refine();
  return refiner.take();
}

}  // namespace hitbox
