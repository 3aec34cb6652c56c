#include "spheres/sphere_sharing.hpp"

#include <algorithm>
#include <numeric>

#include "geometry/eigen3.hpp"

namespace hitbox::internal::spheres {

namespace {

constexpr int kRounds = 4;  // rounds of assigning and fitting after each change
constexpr int kSwapRounds = 6;
constexpr double kOwnShare = 3;
constexpr double kWorthARound = 0.995;
constexpr double kSwapGain = 1.1;     // a split must gain more than the merge costs by this factor
constexpr double kNearlyWorst = 0.6;  // balls that stick out by this fraction of the worst one are split with it

// Points of the surface, all of one group, with the ball around them.
struct Cluster {
  std::vector<uint32_t> points;
  DeepBall ball;
};
using Clusters = std::vector<Cluster>;
using Halves = std::array<Cluster, 2>;

class Sharing {
 public:
  Sharing(const SharedPoints& shared, const BallFitter& fitter, double trim, Run& run)
      : shared_(shared), points_(shared.points), fitter_(fitter), trim_(trim), run_(run) {}

  std::vector<DeepBall> balls(size_t count, std::span<const DeepBall> start) const {
    Clusters clusters(start.empty() ? shared_.group_count : 0);
    for (uint32_t g = 0; g < clusters.size(); ++g) clusters[g].ball.group = g;
    for (const DeepBall& ball : start) clusters.push_back({{}, ball});
    refit(clusters);
    split_until(clusters, count);
    settle(clusters);
    swap_until_settled(clusters);
    std::vector<DeepBall> balls;
    for (const Cluster& cluster : clusters) balls.push_back(cluster.ball);
    return balls;
  }

 private:
  void fit(Cluster& cluster, const Vec3& start) const {
    cluster.ball = fitter_.around(points_of(cluster), start, trim_, BallFitter::Care::rough);
    cluster.ball.group = group_of(cluster.points[0]);
  }

  uint32_t group_of(uint32_t point) const { return shared_.group.empty() ? 0 : shared_.group[point]; }

  std::vector<Vec3> points_of(const Cluster& cluster) const {
    std::vector<Vec3> points;
    points.reserve(cluster.points.size());
    for (const uint32_t p : cluster.points) points.push_back(points_[p]);
    return points;
  }

  // The cost of `shown` in place of clusters a and b: its contribution to the outer surface, and how far its balls
  // stick out, weighted by their share of the mesh. The first term alone shows no gain if one large ball becomes two
  // that still overlap. The second does, and then the next split pays off.
  double cost(std::span<const Cluster> shown, const Clusters& clusters, size_t a, size_t b) const {
    double sum = 0;
    std::vector<DeepBall> others;
    for (size_t s = 0; s < shown.size(); ++s) {
      const DeepBall& ball = shown[s].ball;
      others.clear();
      const auto add = [&](const DeepBall& other) {
        if (other.distance(ball.center) < ball.radius) others.push_back(other);
      };
      for (size_t k = 0; k < shown.size(); ++k)
        if (k != s) add(shown[k].ball);
      for (size_t k = 0; k < clusters.size(); ++k)
        if (k != a && k != b) add(clusters[k].ball);
      const double share = static_cast<double>(shown[s].points.size()) / static_cast<double>(points_.size());
      sum += fitter_.waste(ball, others) + kOwnShare * shared_.area * share * std::max(ball.sticks_out(), 0.0);
    }
    return sum;
  }

  double cost(const Clusters& clusters) const {
    std::vector<double> each(clusters.size());
    run_.for_each_block(clusters.size(), 1,
                        [&](size_t k, size_t, size_t) { each[k] = cost(std::span(&clusters[k], 1), clusters, k, k); });
    return std::accumulate(each.begin(), each.end(), 0.0);
  }

  // Assigns points to the ball that has to stick out least for them, then fits balls to their points.
  void refit(Clusters& clusters) const {
    share_out(clusters);
    std::erase_if(clusters, [](const Cluster& cluster) { return cluster.points.empty(); });
    run_.for_each_block(clusters.size(), 1,
                        [&](size_t k, size_t, size_t) { fit(clusters[k], clusters[k].ball.center); });
  }

  void settle(Clusters& clusters) const {
    Clusters best = clusters;
    double least = cost(best);
    for (int round = 0; round < kRounds; ++round) {
      refit(clusters);
      if (const double now = cost(clusters); now < least) {
        least = now;
        best = clusters;
      }
    }
    clusters = std::move(best);
  }

  void share_out(Clusters& clusters) const {
    std::vector<uint32_t> owner(points_.size());
    run_.for_each_block(points_.size(), 1024, [&](size_t first, size_t last, size_t) {
      for (size_t p = first; p < last; ++p) owner[p] = cheapest(clusters, static_cast<uint32_t>(p));
    });
    for (Cluster& cluster : clusters) cluster.points.clear();
    for (uint32_t p = 0; p < owner.size(); ++p) clusters[owner[p]].points.push_back(p);
  }

  uint32_t cheapest(std::span<const Cluster> clusters, uint32_t point) const {
    const Vec3 p = points_[point];
    const uint32_t group = group_of(point);
    uint32_t best = 0;
    double least = Bounds::kInfinity;
    for (uint32_t k = 0; k < clusters.size(); ++k) {
      const DeepBall& ball = clusters[k].ball;
      if (ball.group != group) continue;
      if (const double out = norm(p - ball.center) - ball.depth; out < least) {
        least = out;
        best = k;
      }
    }
    return best;
  }

  // The best of three splits, across each of the principal axes. If a half has no points there is no split.
  Halves halves_of(const Clusters& clusters, size_t whole) const {
    const Cluster& cluster = clusters[whole];
    Vec3 mean;
    for (const uint32_t p : cluster.points) mean += points_[p];
    mean = mean / static_cast<double>(cluster.points.size());
    Sym3 spread;
    for (const uint32_t p : cluster.points) spread = spread + Sym3::outer(points_[p] - mean, 1);
    const Frame frame = eigen3(spread).vectors;
    Halves best;
    double least = Bounds::kInfinity;
    for (const int axis : {2, 1, 0}) {
      Halves halves = halves_across(cluster, mean, frame.axis[axis]);
      if (halves[0].points.empty() || halves[1].points.empty()) continue;
      if (const double now = cost(halves, clusters, whole, whole); now < least) {
        least = now;
        best = std::move(halves);
      }
    }
    return best;
  }

  Halves halves_across(const Cluster& cluster, const Vec3& mean, const Vec3& axis) const {
    Halves halves;
    for (const uint32_t p : cluster.points) halves[dot(points_[p] - mean, axis) > 0].points.push_back(p);
    if (halves[0].points.empty() || halves[1].points.empty()) return halves;
    for (Cluster& half : halves) fit(half, min_ball(points_of(half)).center);
    Halves again{Cluster{{}, halves[0].ball}, Cluster{{}, halves[1].ball}};
    for (const uint32_t p : cluster.points) again[cheapest(halves, p)].points.push_back(p);
    if (again[0].points.empty() || again[1].points.empty()) return halves;
    for (Cluster& half : again) fit(half, half.ball.center);
    return again;
  }

  double gain_of(const Clusters& clusters, size_t whole, const Halves& halves) const {
    if (halves[0].points.empty() || halves[1].points.empty()) return -Bounds::kInfinity;
    return cost(std::span(&clusters[whole], 1), clusters, whole, whole) - cost(halves, clusters, whole, whole);
  }

  std::vector<double> gains_of(const Clusters& clusters, const std::vector<Halves>& halves) const {
    std::vector<double> gains(clusters.size());
    run_.for_each_block(clusters.size(), 1,
                        [&](size_t k, size_t, size_t) { gains[k] = gain_of(clusters, k, halves[k]); });
    return gains;
  }

  static std::vector<size_t> largest_first(std::span<const double> values) {
    std::vector<size_t> order(values.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] > values[b]; });
    return order;
  }

  // Splits the balls that stick out most, several at a time, so that threads can share the work.
  void split_until(Clusters& clusters, size_t count) const {
    std::vector<bool> whole(clusters.size(), false);  // clusters that cannot be split
    while (clusters.size() < count) {
      run_.advance(static_cast<double>(clusters.size()) / static_cast<double>(count));
      const std::vector<size_t> chosen = to_split(clusters, whole, count - clusters.size());
      if (chosen.empty()) break;
      std::vector<Halves> halves(chosen.size());
      run_.for_each_block(chosen.size(), 1,
                          [&](size_t k, size_t, size_t) { halves[k] = halves_of(clusters, chosen[k]); });
      for (size_t k = 0; k < chosen.size(); ++k) {
        whole[chosen[k]] = halves[k][0].points.empty();
        if (whole[chosen[k]]) continue;
        clusters[chosen[k]] = std::move(halves[k][0]);
        clusters.push_back(std::move(halves[k][1]));
        whole.push_back(false);
      }
    }
  }

  static std::vector<size_t> to_split(const Clusters& clusters, const std::vector<bool>& whole, size_t most) {
    std::vector<double> out(clusters.size());
    for (size_t k = 0; k < out.size(); ++k) out[k] = whole[k] ? -Bounds::kInfinity : clusters[k].ball.sticks_out();
    const std::vector<size_t> order = largest_first(out);
    std::vector<size_t> chosen;
    for (const size_t k : order)
      if (!whole[k] && out[k] >= kNearlyWorst * out[order[0]] && chosen.size() < most) chosen.push_back(k);
    return chosen;
  }

  struct Pair {
    size_t a = 0, b = 0;
    Cluster merged;
    double loss = 0;
  };

  // Each ball merged with one of the three balls of its group that it overlaps most.
  std::vector<Pair> neighbours(const Clusters& clusters) const {
    std::vector<std::pair<size_t, size_t>> found;
    std::vector<std::pair<double, size_t>> near;
    for (size_t a = 0; a < clusters.size(); ++a) {
      near.clear();
      for (size_t b = 0; b < clusters.size(); ++b)
        if (a != b && clusters[a].ball.group == clusters[b].ball.group)
          near.emplace_back(clusters[b].ball.distance(clusters[a].ball.center), b);
      const size_t kept = std::min<size_t>(3, near.size());
      std::partial_sort(near.begin(), near.begin() + static_cast<ptrdiff_t>(kept), near.end());
      for (size_t k = 0; k < kept; ++k) found.emplace_back(std::minmax(a, near[k].second));
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    std::vector<Pair> pairs(found.size());
    run_.for_each_block(found.size(), 1, [&](size_t k, size_t, size_t) {
      pairs[k] = merged(clusters, found[k].first, found[k].second);
    });
    std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& x, const Pair& y) { return x.loss < y.loss; });
    return pairs;
  }

  Pair merged(const Clusters& clusters, size_t a, size_t b) const {
    Pair pair{a, b, clusters[a], 0};
    const auto& more = clusters[b].points;
    pair.merged.points.insert(pair.merged.points.end(), more.begin(), more.end());
    const double share = static_cast<double>(more.size()) / static_cast<double>(pair.merged.points.size());
    fit(pair.merged, clusters[a].ball.center * (1 - share) + clusters[b].ball.center * share);
    const Halves apart{clusters[a], clusters[b]};
    pair.loss = cost(std::span(&pair.merged, 1), clusters, a, b) - cost(apart, clusters, a, b);
    return pair;
  }

  void swap_until_settled(Clusters& clusters) const {
    double least = cost(clusters);
    for (int round = 0; round < kSwapRounds && clusters.size() > 2; ++round) {
      Clusters changed = clusters;
      if (!swap_some(changed)) break;
      settle(changed);
      const double now = cost(changed);
      if (!(now < least * kWorthARound)) break;
      least = now;
      clusters = std::move(changed);
    }
  }

  // Merges the cheapest pairs, and splits as many balls that gain more.
  bool swap_some(Clusters& clusters) const {
    std::vector<Halves> halves(clusters.size());
    run_.for_each_block(clusters.size(), 1, [&](size_t k, size_t, size_t) { halves[k] = halves_of(clusters, k); });
    const std::vector<double> gain = gains_of(clusters, halves);
    const std::vector<size_t> splits = largest_first(gain);
    std::vector<Pair> pairs = neighbours(clusters);
    std::vector<bool> used(clusters.size(), false);
    size_t next = 0;
    bool any = false;
    for (Pair& pair : pairs) {
      while (next < splits.size() && used[splits[next]]) ++next;
      if (next == splits.size() || gain[splits[next]] <= kSwapGain * pair.loss) break;
      const size_t split = splits[next];
      if (used[pair.a] || used[pair.b] || pair.a == split || pair.b == split) continue;
      used[pair.a] = used[pair.b] = used[split] = true;
      clusters[pair.a] = std::move(pair.merged);
      clusters[pair.b] = std::move(halves[split][1]);
      clusters[split] = std::move(halves[split][0]);
      any = true;
    }
    return any;
  }

  const SharedPoints& shared_;
  std::span<const Vec3> points_;
  const BallFitter& fitter_;
  double trim_;
  Run& run_;
};

}  // namespace

std::vector<DeepBall> share_out(const SharedPoints& points, size_t count, std::span<const DeepBall> start,
                                const BallFitter& fitter, double trim, Run& run) {
  return Sharing(points, fitter, trim, run).balls(count, start);
}

}  // namespace hitbox::internal::spheres
