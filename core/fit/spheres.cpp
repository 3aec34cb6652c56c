#include "spheres.hpp"

#include <algorithm>
#include <numeric>

#include "../base/tolerances.hpp"
#include "../geometry/eigen3.hpp"
#include "../measure/collider_measure.hpp"
#include "../measure/distance.hpp"
#include "../measure/inside.hpp"
#include "../mesh/triangulate.hpp"
#include "sphere_cover.hpp"

namespace hitbox {

namespace {

constexpr size_t kLeastPoints = 8192, kPointsEach = 48;  // on the surface, a sphere
constexpr int kRounds = 4;         // of sharing out and fitting, after each change
constexpr int kSwapRounds = 6;
constexpr double kOwnShare = 3;
constexpr double kWorthARound = 0.995;
constexpr double kSwapGain = 1.1;  // a split has to gain so much more than the merge costs
constexpr double kNearlyWorst = 0.6;  // balls that stick out so far as the worst one are split with it
constexpr int kRefills = 2;
constexpr size_t kFewGone = 24;    // one superfluous ball in so many is left at that
constexpr double kTrim = 0.06;     // balanced: share of its points that a ball may leave out
constexpr double kCovered = 0.96;  // balanced: of the sampled surface; 0.95 is promised
constexpr double kFinest = 1e-3;   // of the diagonal: pieces are not cut further
constexpr size_t kMostPieces = 1'000'000;
constexpr size_t kMeasured = 16384;  // points on the spheres, and on the mesh

void grow(std::vector<DeepBall>& balls, double by) {
  for (DeepBall& ball : balls) ball.radius = std::max(ball.radius + by, 0.0);
}

// Points of the surface and the ball around them.
struct Cluster {
  std::vector<uint32_t> points;
  DeepBall ball;
};
using Clusters = std::vector<Cluster>;
using Halves = std::array<Cluster, 2>;

// Shares points out among balls. What is kept small: the distance from the mesh summed up over
// the outer surface of all balls together.
class Sharing {
 public:
  Sharing(std::vector<Vec3> points, double area, const BallFitter& fitter, double trim, Run& run)
      : points_(std::move(points)), area_(area), fitter_(fitter), trim_(trim), run_(run) {}

  // At most `count`, from `start` on; one ball without it.
  std::vector<DeepBall> balls(size_t count, std::span<const DeepBall> start = {}) const {
    Clusters clusters(start.empty() ? 1 : 0);
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
  }

  std::vector<Vec3> points_of(const Cluster& cluster) const {
    std::vector<Vec3> points;
    points.reserve(cluster.points.size());
    for (const uint32_t p : cluster.points) points.push_back(points_[p]);
    return points;
  }

  // What `shown` would cost in the place of clusters a and b: what it adds to the outer surface, and
  // by how much its balls stick out for their own share of the mesh. The first alone sees no gain where
  // one large ball becomes two that still overlap; the second does, and the next split then pays.
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
      sum += fitter_.waste(ball, others) + kOwnShare * area_ * share * std::max(ball.sticks_out(), 0.0);
    }
    return sum;
  }

  double cost(const Clusters& clusters) const {
    std::vector<double> each(clusters.size());
    run_.for_each_block(clusters.size(), 1, [&](size_t k, size_t, size_t) {
      each[k] = cost(std::span(&clusters[k], 1), clusters, k, k);
    });
    return std::accumulate(each.begin(), each.end(), 0.0);
  }

  // Points to the ball that has to stick out least for them, then balls to their points.
  void refit(Clusters& clusters) const {
    share_out(clusters);
    std::erase_if(clusters, [](const Cluster& cluster) { return cluster.points.empty(); });
    run_.for_each_block(clusters.size(), 1, [&](size_t k, size_t, size_t) {
      fit(clusters[k], clusters[k].ball.center);
    });
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
      for (size_t p = first; p < last; ++p) owner[p] = cheapest(clusters, points_[p]);
    });
    for (Cluster& cluster : clusters) cluster.points.clear();
    for (uint32_t p = 0; p < owner.size(); ++p) clusters[owner[p]].points.push_back(p);
  }

  static uint32_t cheapest(std::span<const Cluster> clusters, const Vec3& p) {
    uint32_t best = 0;
    double least = Bounds::kInfinity;
    for (uint32_t k = 0; k < clusters.size(); ++k) {
      const DeepBall& ball = clusters[k].ball;
      if (const double out = norm(p - ball.center) - ball.depth; out < least) {
        least = out;
        best = k;
      }
    }
    return best;
  }

  // The best of three: across each of the principal axes. A half without points: there is none.
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
    for (const uint32_t p : cluster.points) again[cheapest(halves, points_[p])].points.push_back(p);
    if (again[0].points.empty() || again[1].points.empty()) return halves;
    for (Cluster& half : again) fit(half, half.ball.center);
    return again;
  }

  double gain_of(const Clusters& clusters, size_t whole, const Halves& halves) const {
    if (halves[0].points.empty() || halves[1].points.empty()) return -Bounds::kInfinity;
    return cost(std::span(&clusters[whole], 1), clusters, whole, whole) -
           cost(halves, clusters, whole, whole);
  }

  std::vector<double> gains_of(const Clusters& clusters, const std::vector<Halves>& halves) const {
    std::vector<double> gains(clusters.size());
    run_.for_each_block(clusters.size(), 1, [&](size_t k, size_t, size_t) {
      gains[k] = gain_of(clusters, k, halves[k]);
    });
    return gains;
  }

  static std::vector<size_t> largest_first(std::span<const double> values) {
    std::vector<size_t> order(values.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] > values[b]; });
    return order;
  }

  // Always those that stick out most, several at a time, so that threads have something to share.
  void split_until(Clusters& clusters, size_t count) const {
    std::vector<bool> whole(clusters.size(), false);  // cannot be split
    while (clusters.size() < count) {
      run_.advance(static_cast<double>(clusters.size()) / static_cast<double>(count));
      const std::vector<size_t> chosen = to_split(clusters, whole, count - clusters.size());
      if (chosen.empty()) break;
      std::vector<Halves> halves(chosen.size());
      run_.for_each_block(chosen.size(), 1, [&](size_t k, size_t, size_t) {
        halves[k] = halves_of(clusters, chosen[k]);
      });
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
    for (size_t k = 0; k < out.size(); ++k)
      out[k] = whole[k] ? -Bounds::kInfinity : clusters[k].ball.sticks_out();
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

  // Each ball with the three it overlaps most, as one.
  std::vector<Pair> neighbours(const Clusters& clusters) const {
    std::vector<std::pair<size_t, size_t>> found;
    std::vector<std::pair<double, size_t>> near;
    for (size_t a = 0; a < clusters.size(); ++a) {
      near.clear();
      for (size_t b = 0; b < clusters.size(); ++b)
        if (a != b) near.emplace_back(clusters[b].ball.distance(clusters[a].ball.center), b);
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

  // Merges the pairs that cost least and splits as many balls that gain more.
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

  std::vector<Vec3> points_;
  double area_;  // of the surface they stand for
  const BallFitter& fitter_;
  double trim_;
  Run& run_;
};

double area_of(const MeshView& mesh, std::span<const Triangle> triangles) {
  double sum = 0;
  for (const auto& [a, b, c] : triangles)
    sum += norm(cross(mesh.vertices[b] - mesh.vertices[a], mesh.vertices[c] - mesh.vertices[a])) / 2;
  return sum;
}

// As small as the number of pieces allows, if all of the surface had to be cut.
double finest_piece(const MeshView& mesh, std::span<const Triangle> triangles) {
  const auto pieces = [&](double finest) {
    double sum = 0;
    for (const auto& [a, b, c] : triangles) {
      const Vec3 ab = mesh.vertices[b] - mesh.vertices[a], ac = mesh.vertices[c] - mesh.vertices[a];
      const double longest = std::max({norm(ab), norm(ac), norm(ac - ab)});
      sum += std::max(longest / finest, 2 * norm(cross(ab, ac)) / (finest * finest));
    }
    return sum;
  };
  double finest = kFinest;
  while (pieces(finest) > static_cast<double>(kMostPieces + triangles.size())) finest *= 1.5;
  return finest;
}

struct Covered {
  std::vector<DeepBall> balls;
  std::vector<Piece> pieces;
};

Covered covering(const MeshView& mesh, std::vector<DeepBall> balls, double finest, const BallFitter& fitter,
                 Run& run) {
  std::vector<Piece> pieces = cut_to_balls(mesh, balls, finest, run);
  cover(pieces, balls, fitter, run);
  return {std::move(balls), std::move(pieces)};
}

double waste_of(std::span<const DeepBall> balls, const BallFitter& fitter) {
  double sum = 0;
  std::vector<DeepBall> others;
  for (size_t k = 0; k < balls.size(); ++k) {
    others.assign(balls.begin(), balls.end());
    others.erase(others.begin() + static_cast<ptrdiff_t>(k));
    sum += fitter.waste(balls[k], others);
  }
  return sum;
}

// Where balls turned out superfluous, others are split instead, as long as that helps.
Covered covering_shared(const MeshView& mesh, const Sharing& sharing, size_t count, double finest,
                        const BallFitter& fitter, Run& run) {
  Covered best;
  for (int round = 0; round <= kRefills; ++round) {
    const double from = 0.1 + 0.8 * round / (kRefills + 1), to = 0.1 + 0.8 * (round + 1) / (kRefills + 1);
    run.enter("split", from, (from + to) / 2);
    std::vector<DeepBall> balls = sharing.balls(count, best.balls);
    run.enter("cover", (from + to) / 2, to);
    Covered found = covering(mesh, std::move(balls), finest, fitter, run);
    if (round > 0 && !(waste_of(found.balls, fitter) < waste_of(best.balls, fitter))) break;
    best = std::move(found);
    if (best.balls.size() * kFewGone >= count * (kFewGone - 1)) break;
  }
  return best;
}

// All radii out or in, so that as much of the surface is covered as is wanted and no more.
Covered covering_most(const MeshView& mesh, std::vector<DeepBall> balls, std::span<const Vec3> points,
                      double finest, Run& run) {
  run.enter("cover", 0.6, 0.9);
  std::vector<double> out(points.size(), Bounds::kInfinity);
  run.for_each_block(points.size(), 1024, [&](size_t first, size_t last, size_t) {
    for (size_t k = first; k < last; ++k)
      for (const DeepBall& ball : balls) out[k] = std::min(out[k], ball.distance(points[k]));
  });
  const auto wanted = out.begin() + static_cast<ptrdiff_t>(kCovered * static_cast<double>(out.size()));
  std::nth_element(out.begin(), wanted, out.end());
  grow(balls, *wanted + kLeftOut);
  std::vector<Piece> pieces = cut_to_balls(mesh, balls, finest, run);
  grow_to_hold(pieces, balls, run);
  grow(balls, -kLeftOut);
  return {std::move(balls), std::move(pieces)};
}

// A mesh that is one ball, up to its facets: corners on it, and flat sides near it.
std::vector<DeepBall> one_ball(const MeshView& mesh, std::span<const Vec3> points, const BallFitter& fitter) {
  constexpr double kOnIt = 2e-3, kNearIt = 0.025;  // of the diagonal
  std::vector<Vec3> corners;
  for (const uint32_t v : mesh.indices) corners.push_back(mesh.vertices[v]);
  const Ball ball = min_ball(corners);
  const auto on_it = [&](const Vec3& p) { return norm(p - ball.center) > ball.radius - kOnIt; };
  const auto near_it = [&](const Vec3& p) { return norm(p - ball.center) > ball.radius - kNearIt; };
  if (!std::ranges::all_of(corners, on_it) || !std::ranges::all_of(points, near_it)) return {};
  const double depth = fitter.depth(ball.center);
  return depth > ball.radius - kNearIt ? std::vector<DeepBall>{{ball.center, ball.radius, depth}}
                                       : std::vector<DeepBall>{};
}

const Piece& nearest_piece(std::span<const Piece> pieces, const DeepBall& ball) {
  return *std::ranges::min_element(pieces, {}, [&](const Piece& piece) {
    return norm_sq((piece.corners[0] + piece.corners[1] + piece.corners[2]) / 3 - ball.center);
  });
}

FitResult listed(std::span<const Piece> pieces, std::span<const DeepBall> balls, const Similarity& to_input,
                 const Vec3& farthest, Run& run) {
  const std::vector<uint32_t> owner = best_balls(pieces, balls, run);
  std::vector<std::vector<uint32_t>> faces(balls.size());
  for (size_t k = 0; k < pieces.size(); ++k) faces[owner[k]].push_back(pieces[k].face);
  FitResult result;
  result.face_offsets.push_back(0);
  const Tolerances tolerances = Tolerances::of_diagonal(to_input.scale);
  // Moving to the input's units rounds by a few last digits of its coordinates.
  const double slack = tolerances.slack + 0x1p-49 * max_component(farthest);
  for (size_t b = 0; b < balls.size(); ++b) {
    if (faces[b].empty()) faces[b].push_back(nearest_piece(pieces, balls[b]).face);
    std::sort(faces[b].begin(), faces[b].end());
    faces[b].erase(std::unique(faces[b].begin(), faces[b].end()), faces[b].end());
    const Sphere sphere = transformed(Sphere{balls[b].center, balls[b].radius}, to_input);
    result.shapes.push_back(Sphere{sphere.center, std::max(sphere.radius + slack, tolerances.thickness)});
    result.faces.insert(result.faces.end(), faces[b].begin(), faces[b].end());
    result.face_offsets.push_back(static_cast<uint32_t>(result.faces.size()));
  }
  return result;
}

double volume_of(const TriangleBvh& surface) {
  double sum = 0;
  for (uint32_t t = 0; t < surface.size(); ++t) {
    const auto& [a, b, c] = surface.corners(t);
    sum += dot(a, cross(b, c));
  }
  return sum / 6;
}

SphereMeasure measured(const MeshView& mesh, std::span<const Triangle> triangles, const TriangleBvh& surface,
                       std::span<const DeepBall> balls, Run& run) {
  constexpr double kOffset = 1e-3, kOutside = 1e-5;  // as hitbox.evaluate has them
  std::vector<Shape> shapes;
  for (const DeepBall& ball : balls) shapes.push_back(Sphere{ball.center, ball.radius});
  const ShapeUnion all(std::move(shapes), run);
  const bool closed = is_closed_solid(mesh, run);
  const Solid solid(surface);
  const ColliderSamples samples = sample_surfaces(all, kMeasured, 1, run);
  const std::vector<uint8_t> hidden = hidden_samples(all, samples, kOffset, run);
  std::vector<double> distance(kMeasured, -1);  // below 0: cannot be touched
  run.for_each_block(kMeasured, 256, [&](size_t first, size_t last, size_t) {
    for (size_t k = first; k < last; ++k)
      if (!hidden[k] && !(closed && solid.contains(samples.points[k])))
        distance[k] = std::sqrt(surface.closest(samples.points[k]).distance_sq);
  });
  SphereMeasure found;
  std::erase_if(distance, [](double d) { return d < 0; });
  if (!distance.empty()) {
    found.mean = std::accumulate(distance.begin(), distance.end(), 0.0) / static_cast<double>(distance.size());
    found.largest = *std::ranges::max_element(distance);
  }
  const SurfaceSamples on_mesh = sample_surface(mesh.vertices, triangles, kMeasured, 1);
  std::vector<double> outside = distances_outside(all, on_mesh.points, run);
  const auto covered = std::ranges::count_if(outside, [&](double d) { return d <= kOutside; });
  found.coverage = static_cast<double>(covered) / static_cast<double>(kMeasured);
  found.left_out = *std::ranges::max_element(outside);
  if (found.left_out <= Tolerances::of_diagonal(1).enclose) found.left_out = 0;
  if (closed) found.volume_ratio = union_volume(all, kMeasured, 1, run).value / volume_of(surface);
  return found;
}

}  // namespace

SphereFit fit_spheres(const MeshView& mesh, uint32_t count, SphereMode mode, Run& run) {
  run.enter("prepare", 0, 0.1);
  const Bounds box = referenced_bounds(mesh);
  const Similarity to_input{{}, box.center(), box.diagonal()};
  std::vector<Vec3> vertices(mesh.vertices.begin(), mesh.vertices.end());  // of unit diagonal, at the origin
  for (Vec3& v : vertices) v = (v - to_input.translation) / to_input.scale;
  const MeshView unit{vertices, mesh.indices, mesh.offsets};
  const std::vector<Triangle> triangles = triangles_of(unit, run);
  const TriangleBvh surface(vertices, triangles, run);
  const Winding winding(surface);
  const DepthGrid grid(surface, winding, referenced_bounds(unit), run);
  const BallFitter fitter(surface, winding, grid);
  count = std::min(count, kMostSpheres);
  const std::vector<Vec3> points =
      sample_surface(vertices, triangles, std::max(kLeastPoints, kPointsEach * count), 0).points;
  Covered covered{one_ball(unit, points, fitter), {}};
  const double finest = finest_piece(unit, triangles);
  if (!covered.balls.empty()) {
    covered = covering(unit, std::move(covered.balls), finest, fitter, run);
  } else if (mode == SphereMode::conservative) {
    covered = covering_shared(unit, Sharing(points, area_of(unit, triangles), fitter, 0, run), count, finest, fitter, run);
  } else {
    const Sharing sharing(points, area_of(unit, triangles), fitter, kTrim, run);
    run.enter("split", 0.1, 0.6);
    // Other points than those the balls were made for.
    const SurfaceSamples others = sample_surface(vertices, triangles, kMeasured, 2);
    covered = covering_most(unit, sharing.balls(count), others.points, finest, run);
  }
  run.enter("measure", 0.9, 1);
  SphereFit result;
  result.fitted = listed(covered.pieces, covered.balls, to_input, max(abs(box.low), abs(box.high)), run);
  result.measure = measured(unit, triangles, surface, covered.balls, run);
  return result;
}

}  // namespace hitbox
