#include "refine.hpp"

#include <algorithm>
#include <numeric>

#include "../geometry/eigen3.hpp"
#include "kernel.hpp"
#include "medial.hpp"

namespace hitbox {

namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr double kWorthwhile = 1e-3;  // of a cost: smaller gains are noise of the samples

class Refiner {
 public:
  Refiner(const MeshView& mesh, const LeafSet& set, std::vector<uint32_t> cluster_of_leaf, const Shaper& shaper,
          const RefineLimits& limits, Run& run)
      : mesh_(mesh), set_(set), shaper_(shaper), fitter_(shaper.model()), run_(run), left_(limits.tries), deadline_(limits.deadline),
        cluster_of_(std::move(cluster_of_leaf)) {
    const uint32_t count = 1 + *std::max_element(cluster_of_.begin(), cluster_of_.end());
    leaves_.resize(count);
    for (uint32_t leaf = 0; leaf < cluster_of_.size(); ++leaf) leaves_[cluster_of_[leaf]].push_back(leaf);
    shape_.resize(count);
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
    for (int pass = 0; pass < kMostPasses && left_ > 0; ++pass) {
      const double before = total();
      split_and_merge(leaves_.size() / 8 + 2);
      exchange();
      run_.advance(1 - static_cast<double>(left_) / all_);
      if (total() > kConverged * before) break;
    }
    lower_peaks(leaves_.size() / 16 + 8);
  }

  std::vector<uint32_t> take() { return std::move(cluster_of_); }

 private:
  double total() const {
    double sum = 0;
    for (const Fitted& shape : shape_) sum += shape.cost;
    return sum;
  }
  Fitted shape_around(Fitter& fitter, std::span<const uint32_t> leaves) const;
  void count_a_try() {
    left_ -= std::min<size_t>(left_, 1);
    if (left_ % 16 == 0 && is_late()) left_ = 0;
  }
  bool is_late() const { return std::chrono::steady_clock::now() >= deadline_; }
  Fitted tried(std::span<const uint32_t> leaves) {
    count_a_try();
    return shape_around(fitter_, leaves);
  }
  std::vector<uint32_t> worst_first() const {
    std::vector<uint32_t> order(leaves_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return shape_[a].cost > shape_[b].cost; });
    return order;
  }
  std::vector<uint32_t> clusters_around(uint32_t leaf) const;
  std::vector<uint32_t> clusters_next_to(uint32_t cluster) const;
  bool supports(const Shape& shape, uint32_t leaf) const;
  bool move_from(uint32_t cluster);
  bool try_move(uint32_t leaf, uint32_t to);
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
  void lower_peaks(size_t rounds);
  double quick_cost(std::span<const uint32_t> leaves, uint32_t like);
  Join cheapest_join(uint32_t not_this, double limit);

  const MeshView& mesh_;
  const LeafSet& set_;
  const Shaper& shaper_;
  Fitter fitter_;
  Run& run_;
  size_t left_;  // tries
  std::chrono::steady_clock::time_point deadline_;
  double all_ = static_cast<double>(left_);
  std::vector<uint32_t> cluster_of_;
  std::vector<std::vector<uint32_t>> leaves_;  // of a cluster
  std::vector<Fitted> shape_;
  std::vector<std::vector<uint32_t>> near_;    // leaves next to a leaf
  std::vector<Join> join_of_;                  // the cheapest merge of each cluster; kNone: not known
};

Fitted Refiner::shape_around(Fitter& fitter, std::span<const uint32_t> leaves) const {
  std::vector<const Leaf*> parts;
  for (const uint32_t leaf : leaves) parts.push_back(&set_.leaves[leaf]);
  if (parts.size() == 1 && parts[0]->shape.about_center) return parts[0]->shape;
  const Leaf whole = joined(mesh_, parts);
  fitter.points.assign(mesh_.vertices, whole.kernel);
  std::vector<Frame> frames = {eigen3(combined(whole.op, true)).vectors,
                               principal_frame(mesh_.vertices, whole.kernel)};
  if (whole.medial.area > 0) frames.push_back(medial_frame(whole.medial));
  return shaper_.thorough(fitter, frames, whole.medial);
}

// Of a box in the obvious frame, or that of one of the parts.
double Refiner::quick_cost(std::span<const uint32_t> leaves, uint32_t like) {
  count_a_try();
  std::vector<const Leaf*> parts;
  for (const uint32_t leaf : leaves) parts.push_back(&set_.leaves[leaf]);
  const Leaf whole = joined(mesh_, parts);
  fitter_.points.assign(mesh_.vertices, whole.kernel);
  const Frame frames[] = {shape_[like].frame, eigen3(combined(whole.op, true)).vectors};
  const Fitted shape = shaper_.quick(fitter_, frames);
  return shape.refused ? Bounds::kInfinity : shape.cost;
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

// Whether the shape could be smaller without this leaf: it reaches the shape's surface.
bool Refiner::supports(const Shape& shape, uint32_t leaf) const {
  std::array<Vec3, kKernelCapacity> points;
  std::array<double, kKernelCapacity> distance;
  const std::vector<uint32_t>& kernel = set_.leaves[leaf].kernel;
  for (size_t k = 0; k < kernel.size(); ++k) points[k] = mesh_.vertices[kernel[k]];
  signed_distance(shape, std::span(points).first(kernel.size()), std::span(distance).first(kernel.size()));
  return *std::max_element(distance.begin(), distance.begin() + static_cast<ptrdiff_t>(kernel.size())) > -1e-7;
}

bool Refiner::try_move(uint32_t leaf, uint32_t to) {
  const uint32_t from = cluster_of_[leaf];
  std::vector<uint32_t> rest = leaves_[from], more = leaves_[to];
  std::erase(rest, leaf);
  more.insert(std::upper_bound(more.begin(), more.end(), leaf), leaf);
  const double now = shape_[from].cost + shape_[to].cost;
  const Fitted larger = tried(more);
  if (larger.refused || larger.cost >= now) return false;
  const Fitted smaller = tried(rest);
  if (smaller.refused && !shape_[from].refused) return false;
  if (larger.cost + smaller.cost >= now - kWorthwhile * shape_[from].cost) return false;
  leaves_[from] = std::move(rest);
  leaves_[to] = std::move(more);
  shape_[from] = smaller;
  shape_[to] = larger;
  cluster_of_[leaf] = to;
  return true;
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
    move_from(cluster);
  }
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
      const size_t at = order.size() * quarter / 4;
      if (at == 0 || at == order.size() || (quarter != 2 && order.size() < 4)) continue;
      Split split;
      split.a.assign(order.begin(), order.begin() + static_cast<ptrdiff_t>(at));
      split.b.assign(order.begin() + static_cast<ptrdiff_t>(at), order.end());
      std::sort(split.a.begin(), split.a.end());
      std::sort(split.b.begin(), split.b.end());
      split.shape_a = tried(split.a);
      split.shape_b = tried(split.b);
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
  for (uint32_t c = 0; c < leaves_.size(); ++c) order.push_back({shape_[c].cost, c});
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
        std::vector<uint32_t> both = leaves_[c];
        both.insert(both.end(), leaves_[other].begin(), leaves_[other].end());
        std::sort(both.begin(), both.end());
        const double price = quick_cost(both, c) - shape_[c].cost - shape_[other].cost;
        if (price < own.price) own = {c, other, price};
      }
      join_of_[c] = own;
    }
    if (join_of_[c].b == kNone || join_of_[c].b == not_this) continue;
    if (join_of_[c].price < best.price) best = join_of_[c];
  }
  return best;
}

// Splits `cluster`, and pays for it by joining two others; refuses shapes that reach further than allowed.
bool Refiner::swap(uint32_t cluster, Split split, const Join& join, double most_reach) {
  std::vector<uint32_t> both = leaves_[join.a];
  both.insert(both.end(), leaves_[join.b].begin(), leaves_[join.b].end());
  std::sort(both.begin(), both.end());
  const Fitted common = tried(both);
  if (common.refused || split.shape_a.refused || split.shape_b.refused || common.reach > most_reach) return false;
  // b goes into a; its number goes to the second half.
  for (const uint32_t leaf : leaves_[join.b]) cluster_of_[leaf] = join.a;
  leaves_[join.a] = std::move(both);
  shape_[join.a] = common;
  for (const uint32_t leaf : split.b) cluster_of_[leaf] = join.b;
  leaves_[join.b] = std::move(split.b);
  shape_[join.b] = split.shape_b;
  leaves_[cluster] = std::move(split.a);
  shape_[cluster] = split.shape_a;
  for (Join& known : join_of_)
    for (const uint32_t changed : {join.a, join.b, cluster})
      if (known.a == changed || known.b == changed) known = {};
  return true;
}

void Refiner::split_and_merge(size_t rounds) {
  join_of_.assign(leaves_.size(), {});
  for (const uint32_t cluster : worst_first()) {
    if (left_ == 0 || rounds-- == 0) return;
    run_.poll();
    Split split = best_split(cluster, Aim::gain);
    if (!(split.gain > kWorthwhile * shape_[cluster].cost)) continue;
    const Join join = cheapest_join(cluster, split.gain);
    if (join.a != kNone) swap(cluster, std::move(split), join, Bounds::kInfinity);
  }
}

// The shape that reaches furthest is split, as long as that lowers the reach of all.
void Refiner::lower_peaks(size_t rounds) {
  constexpr double kLower = 0.9;
  if (is_late()) return;
  left_ = std::max(left_, 30 * rounds);  // peaks are what people see
  join_of_.assign(leaves_.size(), {});
  while (rounds-- > 0 && left_ > 0) {
    run_.poll();
    const auto cluster = static_cast<uint32_t>(
        std::max_element(shape_.begin(), shape_.end(), [](const Fitted& a, const Fitted& b) { return a.reach < b.reach; }) -
        shape_.begin());
    const double reach = shape_[cluster].reach;
    Split split = best_split(cluster, Aim::reach);
    if (split.a.empty() || split.reach() > kLower * reach) return;
    const Join join = cheapest_join(cluster, total() / static_cast<double>(shape_.size()));
    if (join.a == kNone || !swap(cluster, std::move(split), join, kLower * reach)) return;
  }
}

}  // namespace

std::vector<uint32_t> refine(const MeshView& mesh, const LeafSet& set, std::vector<uint32_t> cluster_of_leaf,
                             const Shaper& shaper, const RefineLimits& limits, Run& run) {
  Refiner refiner(mesh, set, std::move(cluster_of_leaf), shaper, limits, run);
  refiner.refine();
  return refiner.take();
}

}  // namespace hitbox
