#include "fit/tolerance.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "fit/judge.hpp"
#include "fit/tree/leaves.hpp"
#include "fit/tree/link.hpp"
#include "fit/tree/nodes.hpp"
#include "mesh/adjacency.hpp"

namespace hitbox::internal::fit {

namespace {

constexpr uint32_t kTreeFor = 256;  // number of shapes of the first tree; finer nodes were merged by moments alone
constexpr int kMostTrees = 3;       // a torus at 1 % has 129 shapes with the first tree, then 27, then 14
constexpr double kTie = 1e-4;       // fraction of the tolerance: a distance this close to it counts as too far
// More nodes than this times `most` would need too many shapes, so they are not tested. Joining and further trees left
// at least one in 1.96 of more than kTreeFor nodes (31 meshes at 1, 3 and 8 %). They may leave far fewer of a smaller
// number, one in 9.6 for a torus, so kTreeFor nodes are always tested.
constexpr size_t kHopeless = 3;
constexpr size_t kNear = 6;  // links per piece across gaps

struct Piece {
  std::vector<uint32_t> faces;  // ascending
  Moments medial;
  Judged judged;
};

FarthestGoal goal_of(double tolerance) {
  FarthestGoal goal;
  goal.enough = tolerance;
  goal.absolute = kTie * tolerance;
  return goal;
}

bool is_within(const Judged& judged, double tolerance) { return judged.strays.high <= tolerance && !judged.enters; }

// The topmost nodes within the tolerance; empty if there are too many.
std::optional<std::vector<Piece>> pieces_of_tree(const MergeTree& tree, const Judge& judge, double tolerance,
                                                 size_t too_many, Run& run) {
  const TreeNodes nodes(tree);
  std::vector<Piece> done;
  std::vector<uint32_t> open(nodes.roots().begin(), nodes.roots().end());
  while (!open.empty()) {
    if (done.size() + open.size() > too_many) return std::nullopt;
    std::vector<Piece> pieces(open.size());
    run.for_each_block(open.size(), 1, [&](size_t k, size_t, size_t) {
      Piece& piece = pieces[k];
      piece.faces = nodes.faces(open[k]);
      piece.medial = nodes.medial(open[k]);
      piece.judged = judge.around(piece.faces, piece.medial, goal_of(tolerance), run);
    });
    std::vector<uint32_t> next;
    for (size_t k = 0; k < open.size(); ++k) {
      if (nodes.is_face(open[k]) || is_within(pieces[k].judged, tolerance)) {
        done.push_back(std::move(pieces[k]));
      } else {
        next.push_back(nodes.children(open[k]).a);
        next.push_back(nodes.children(open[k]).b);
      }
    }
    open = std::move(next);
  }
  return done;
}

// Merges neighbours while their common shape stays within the tolerance.
class Joiner {
 public:
  Joiner(const FitInput& input, const Judge& judge, double tolerance, std::vector<Piece> pieces, Run& run)
      : judge_(judge), tolerance_(tolerance), run_(run), pieces_(std::move(pieces)), near_(pieces_.size()) {
    const std::vector<FacePair> pairs = neighbours(input);
    for (const FacePair& pair : pairs) {
      near_[pair.a].insert(pair.b);
      near_[pair.b].insert(pair.a);
    }
    std::vector<FacePair> each;
    for (uint32_t a = 0; a < near_.size(); ++a)
      for (const uint32_t b : near_[a])
        if (a < b) each.push_back({a, b});
    offer(each);
  }

  std::vector<Piece> join() {
    while (!offers_.empty()) {
      run_.poll();
      auto best = offers_.extract(offers_.begin());
      const auto [price, a, b] = best.key();
      if (is_gone(a) || is_gone(b)) continue;
      replace(a, b, std::move(best.mapped()));
    }
    std::erase_if(pieces_, [](const Piece& piece) { return piece.faces.empty(); });
    return std::move(pieces_);
  }

 private:
  bool is_gone(uint32_t piece) const { return pieces_[piece].faces.empty(); }

  std::vector<FacePair> neighbours(const FitInput& input) const {
    std::vector<uint32_t> piece_of(input.exact().face_count());
    std::vector<Bounds> boxes(pieces_.size());
    std::vector<uint32_t> itself(pieces_.size());
    for (uint32_t k = 0; k < pieces_.size(); ++k) {
      itself[k] = k;
      boxes[k] = bounds(pieces_[k].judged.shape);
      for (const uint32_t face : pieces_[k].faces) piece_of[face] = k;
    }
    std::vector<FacePair> pairs = link_nearest(boxes, itself, kNear, run_);
    for (const FacePair& pair : face_pairs(input.welded(), run_))
      if (piece_of[pair.a] != piece_of[pair.b]) pairs.push_back({piece_of[pair.a], piece_of[pair.b]});
    const std::vector<uint32_t>& groups = input.options.group_of_face;
    if (!groups.empty())
      std::erase_if(pairs,
                    [&](const FacePair& p) { return groups[pieces_[p.a].faces[0]] != groups[pieces_[p.b].faces[0]]; });
    return pairs;
  }

  Piece both(uint32_t a, uint32_t b) const {
    Piece piece;
    std::merge(pieces_[a].faces.begin(), pieces_[a].faces.end(), pieces_[b].faces.begin(), pieces_[b].faces.end(),
               std::back_inserter(piece.faces));
    piece.medial = joined(pieces_[a].medial, pieces_[b].medial);
    return piece;
  }

  void offer(const std::vector<FacePair>& pairs) {
    std::vector<Judged> judged(pairs.size());
    run_.for_each_block(pairs.size(), 1, [&](size_t k, size_t, size_t) {
      const Piece piece = both(pairs[k].a, pairs[k].b);
      judged[k] = judge_.around(piece.faces, piece.medial, goal_of(tolerance_), run_);
    });
    for (size_t k = 0; k < pairs.size(); ++k)
      if (is_within(judged[k], tolerance_))
        offers_.emplace(Offer{judged[k].strays.high, pairs[k].a, pairs[k].b}, std::move(judged[k]));
  }

  void replace(uint32_t a, uint32_t b, Judged judged) {
    const auto whole = static_cast<uint32_t>(pieces_.size());
    Piece piece = both(a, b);
    piece.judged = std::move(judged);
    std::set<uint32_t> near = near_[a];
    near.insert(near_[b].begin(), near_[b].end());
    std::erase_if(near, [&](uint32_t k) { return k == a || k == b || is_gone(k); });
    pieces_[a].faces.clear();
    pieces_[b].faces.clear();
    pieces_.push_back(std::move(piece));
    std::vector<FacePair> pairs;
    for (const uint32_t k : near) {
      near_[k].insert(whole);
      pairs.push_back({k, whole});
    }
    near_.push_back(std::move(near));
    offer(pairs);
  }

  using Offer = std::tuple<double, uint32_t, uint32_t>;  // distance of the common shape, and its two pieces

  const Judge& judge_;
  double tolerance_;
  Run& run_;
  std::vector<Piece> pieces_;  // a piece without faces was merged
  std::vector<std::set<uint32_t>> near_;
  std::map<Offer, Judged> offers_;
};

// The largest distance over the shapes, more precisely than a decision needs it. Shapes known to be no farther than a
// former one are not refined.
double farthest_of(std::span<const Shape> shapes, const Judge& judge, Run& run) {
  FarthestGoal closely;
  closely.relative = 0.02;
  closely.absolute = 1e-4;
  double farthest = 0;
  for (const Shape& shape : shapes) {
    FarthestGoal no_farther;
    no_farther.enough = farthest;
    if (farthest > 0 && judge.strays(shape, no_farther, run).high <= farthest) continue;
    farthest = std::max(farthest, judge.strays(shape, closely, run).high);
  }
  return farthest;
}

WithinResult result_of(const FitInput& input, const Judge& judge, double tolerance, std::vector<Piece> pieces,
                       Run& run) {
  // Clusters are numbered by their first faces, as everywhere.
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.faces[0] < b.faces[0]; });
  Partition partition{std::vector<uint32_t>(input.exact().face_count()), static_cast<uint32_t>(pieces.size())};
  std::vector<Shape> shapes;
  std::vector<std::vector<Vec3>> points;
  for (uint32_t k = 0; k < pieces.size(); ++k) {
    for (const uint32_t face : pieces[k].faces) partition.cluster_of_face[face] = k;
    shapes.push_back(pieces[k].judged.shape);
    points.push_back(judge.shaper().points(vertices_of(input.exact(), pieces[k].faces)));
  }
  WithinResult result{without_useless_shapes(std::move(shapes), std::move(points), partition, input, run)};
  for (const uint32_t k : result.fitted.clusters) {
    result.strays = std::max(result.strays, pieces[k].judged.strays.high);
    result.over += pieces[k].judged.strays.high > tolerance;
  }
  result.strays = std::min(result.strays, farthest_of(result.fitted.shapes, judge, run));
  result.fitted = padded(std::move(result.fitted), input);
  return result;
}

// The result if the tolerance cannot be reached.
WithinResult fit_judged(const FitInput& input, const Judge& judge, double tolerance, uint32_t count, Run& run) {
  WithinResult result{fit_unpadded(input, count, run)};
  result.capped = true;
  for (const Shape& shape : result.fitted.shapes)
    result.over += judge.strays(shape, goal_of(tolerance), run).high > tolerance;
  result.strays = result.over == 0 ? tolerance : farthest_of(result.fitted.shapes, judge, run);
  result.fitted = padded(std::move(result.fitted), input);
  return result;
}

}  // namespace

WithinResult fit_within(const FitInput& input, double tolerance, uint32_t most, Run& run) {
  run.enter("measure", 0.1, 0.2);
  const Judge judge(input, run);
  const size_t too_many = std::max<size_t>(kHopeless * most, kTreeFor);
  const bool may_join = input.options.max_excess < 0;  // the tree already went as far as max_excess allows
  std::vector<Piece> best;
  // A tree is best at about the number of shapes it was made for, which is not known in advance.
  uint32_t tree_for = kTreeFor;
  double done = 0.2;
  for (int round = 0; round < kMostTrees; ++round) {
    const Run::Stretch stretch(run, done, 0.5 * (done + 1));  // the number of trees is not known in advance
    done = 0.5 * (done + 1);
    const MergeTree tree = build_tree(input, tree_for, run);
    run.enter("within", 0.9, 1);
    std::optional<std::vector<Piece>> pieces = pieces_of_tree(tree, judge, tolerance, too_many, run);
    if (pieces && may_join) pieces = Joiner(input, judge, tolerance, std::move(*pieces), run).join();
    if (!pieces || (!best.empty() && pieces->size() >= best.size())) break;
    best = std::move(*pieces);
    tree_for = static_cast<uint32_t>(best.size());
    if (tree_for == 1) break;
  }
  const Run::Stretch rest(run, done, 1);
  if (best.empty() || best.size() > most) return fit_judged(input, judge, tolerance, most, run);
  run.enter("enclose", 0, 1);
  return result_of(input, judge, tolerance, std::move(best), run);
}

}  // namespace hitbox::internal::fit
