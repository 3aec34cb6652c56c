#include "fit/tree/groups.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "fit/shaping/medial.hpp"
#include "fit/tree/medial_tree.hpp"
#include "geometry/eigen3.hpp"

namespace hitbox::internal::fit {

namespace {

// Limits for the number of shapes that a candidate group's leaves make when merged in pairs. Beyond them, a single
// shape in place of most others would win only because it has little surface.
constexpr double kFewestShapes = 0.6;
constexpr double kNothing = 5e-5 * 5e-5;  // gain per unit of area below which shapes lie on the mesh
double most_shapes(size_t count) { return std::max(3.0, static_cast<double>(count) / 24); }

// The distribution of shapes in a level of merging in pairs.
struct Level {
  std::vector<double> shapes;  // each leaf's share of its cluster
  std::vector<double> cost;    // its share of the cluster's cost
  double price = 0;            // the price of one shape

  Level(const LeafSet& set, const MergeHistory& pairs, size_t clusters) {
    const size_t leaf_count = pairs.leaf_count, steps = leaf_count - clusters;
    std::vector<uint32_t> top(leaf_count + steps);
    std::iota(top.begin(), top.end(), 0u);
    for (size_t k = steps; k-- > 0;) top[pairs.steps[k].a] = top[pairs.steps[k].b] = top[leaf_count + k];
    std::vector<double> area(top.size());
    const auto own = [&](size_t leaf) { return std::max(set.leaves[leaf].op.area(), 1e-14); };
    for (size_t k = 0; k < leaf_count; ++k) area[top[k]] += own(k);
    for (size_t k = 0; k < leaf_count; ++k) {
      shapes.push_back(own(k) / area[top[k]]);
      cost.push_back(shapes.back() * pairs.cost[top[k]]);
    }
    price = steps > 0 ? std::max(pairs.steps[steps - 1].price, 0.0) : 0;
  }
};

class Candidates {
 public:
  Candidates(const MeshView& mesh, const LeafSet& set, const Level& coarsest, double most, const Shaper& shaper,
             Run& run)
      : leaf_count_(set.leaves.size()) {
    std::vector<Moments> medial;
    std::vector<uint32_t> group;
    for (const Leaf& leaf : set.leaves) {
      medial.push_back(leaf.medial);
      group.push_back(leaf.group);
    }
    merges_ = medial_tree(medial, group, run);
    leaves_.resize(leaf_count_ + merges_.size());
    shape_.resize(leaves_.size());
    std::vector<double> shapes = coarsest.shapes;
    for (const Leaf& leaf : set.leaves) area_.push_back(leaf.op.area());
    for (uint32_t k = 0; k < leaf_count_; ++k) leaves_[k] = {k};
    for (size_t k = 0; k < merges_.size(); ++k) {
      const auto [a, b] = merges_[k];
      shapes.push_back(shapes[a] + shapes[b]);
      area_.push_back(area_[a] + area_[b]);
      if (shapes.back() > most) continue;
      std::vector<uint32_t>& both = leaves_[leaf_count_ + k];
      both = leaves_[a];
      both.insert(both.end(), leaves_[b].begin(), leaves_[b].end());
    }
    run.for_each_block(merges_.size(), 16, [&](size_t first, size_t last, size_t) {
      Fitter fitter(shaper.model());
      for (size_t k = leaf_count_ + first; k < leaf_count_ + last; ++k)
        if (shapes[k] >= kFewestShapes && shapes[k] <= most) shape_[k] = measured(mesh, set, shaper, fitter, k);
    });
  }

  // The nodes with the largest total gain, and the resulting number of shapes.
  struct Choice {
    struct Node {
      double gain, saved;  // cost, shapes
      size_t node;
    };
    std::vector<Node> nodes;
    double shapes = 0;
  };
  Choice best_at(const Level& level) const {
    std::vector<double> worth(leaves_.size()), shapes(leaves_.size()), gain(leaves_.size());
    std::vector<bool> chosen(leaves_.size()), covered(leaves_.size());
    Choice choice;
    for (size_t k = 0; k < leaf_count_; ++k) {
      shapes[k] = level.shapes[k];
      worth[k] = level.cost[k] + level.price * level.shapes[k];
      choice.shapes += shapes[k];
    }
    for (size_t k = 0; k < merges_.size(); ++k) {  // bottom up: a node, or the best choice below it
      const auto [a, b] = merges_[k];
      const size_t node = leaf_count_ + k;
      worth[node] = worth[a] + worth[b];
      shapes[node] = shapes[a] + shapes[b];
      const double below = gain[a] + gain[b], own = worth[node] - shape_[node].cost - level.price;
      chosen[node] = own > below && own > kNothing * area_[node];
      gain[node] = std::max(own, below);
    }
    for (size_t k = merges_.size(); k-- > 0;) {  // top down
      const size_t node = leaf_count_ + k;
      const bool inside = covered[node];
      if (chosen[node] && !inside) {
        choice.nodes.push_back({gain[node], shapes[node] - 1, node});
        choice.shapes -= shapes[node] - 1;
      }
      covered[merges_[k].a] = covered[merges_[k].b] = inside || chosen[node];
    }
    return choice;
  }

  LeafGroup group(size_t node) const { return {leaves_[node], shape_[node]}; }

 private:
  Fitted measured(const MeshView& mesh, const LeafSet& set, const Shaper& shaper, Fitter& fitter, size_t node) const {
    std::vector<const Leaf*> parts;
    for (const uint32_t leaf : leaves_[node]) parts.push_back(&set.leaves[leaf]);
    const Leaf whole = joined(mesh, parts);
    fitter.points.assign(mesh.vertices, whole.kernel);
    const Frame frames[] = {eigen3(combined(whole.op, true)).vectors, medial_frame(whole.medial)};
    Fitted shape = shaper.thorough(fitter, frames, whole.medial);
    if (shape.refused) shape.cost = Bounds::kInfinity;
    return shape;
  }

  size_t leaf_count_;
  std::vector<FacePair> merges_;               // the merges of the medial tree
  std::vector<std::vector<uint32_t>> leaves_;  // per node; empty: too many
  std::vector<double> area_;                   // area of each node's faces
  std::vector<Fitted> shape_;                  // per node; infinite cost: not evaluated
};

}  // namespace

std::vector<LeafGroup> find_groups(const MeshView& mesh, const LeafSet& set, const MergeHistory& pairs, size_t count,
                                   const Shaper& shaper, Run& run) {
  const size_t coarsest = pairs.leaf_count - pairs.steps.size();
  const Candidates candidates(mesh, set, Level(set, pairs, coarsest), most_shapes(count), shaper, run);
  // The finest level within the count. The cheaper shapes are, the fewer groups pay off.
  size_t low = coarsest, high = pairs.leaf_count;
  while (high - low > 1 + low / 64) {
    const size_t middle = (low + high) / 2;
    const Candidates::Choice choice = candidates.best_at(Level(set, pairs, middle));
    (choice.shapes <= static_cast<double>(count) ? low : high) = middle;
  }
  Candidates::Choice choice = candidates.best_at(Level(set, pairs, low));
  // Equal rings all pay off at once or not at all. If shapes are left over, the groups with the least gain per saved
  // shape are dropped.
  std::stable_sort(choice.nodes.begin(), choice.nodes.end(), [](const auto& a, const auto& b) {
    return a.gain * std::max(b.saved, 0.0) > b.gain * std::max(a.saved, 0.0);
  });
  while (!choice.nodes.empty() && choice.nodes.back().saved > 0 &&
         choice.shapes + choice.nodes.back().saved <= static_cast<double>(count)) {
    choice.shapes += choice.nodes.back().saved;
    choice.nodes.pop_back();
  }
  std::vector<LeafGroup> groups;
  for (const auto& chosen : choice.nodes) groups.push_back(candidates.group(chosen.node));
  return groups;
}

LeafSet with_groups(const MeshView& mesh, const LeafSet& set, std::span<const LeafGroup> groups, MergeTree& tree) {
  constexpr uint32_t kAlone = UINT32_MAX;
  std::vector<uint32_t> number(set.leaves.size(), kAlone);
  LeafSet result;
  for (const LeafGroup& group : groups) {
    std::vector<const Leaf*> parts;
    for (const uint32_t leaf : group.leaves) {
      number[leaf] = static_cast<uint32_t>(result.leaves.size());
      parts.push_back(&set.leaves[leaf]);
    }
    Leaf whole = joined(mesh, parts);
    whole.shape = group.shape;
    whole.node = parts[0]->node;
    for (size_t k = 1; k < parts.size(); ++k) {
      tree.merges.push_back({whole.node, parts[k]->node, Bounds::kInfinity, false});
      whole.node = tree.face_count + static_cast<uint32_t>(tree.merges.size()) - 1;
    }
    result.leaves.push_back(std::move(whole));
  }
  for (uint32_t k = 0; k < set.leaves.size(); ++k) {
    if (number[k] != kAlone) continue;
    number[k] = static_cast<uint32_t>(result.leaves.size());
    result.leaves.push_back(set.leaves[k]);
  }
  struct Edge {
    FacePair pair;
    double price;
  };
  std::vector<Edge> edges;
  const auto is_group = [&](uint32_t leaf) { return number[leaf] < groups.size(); };
  for (size_t k = 0; k < set.edges.size(); ++k) {
    const auto [a, b] = set.edges[k];
    const auto [low, high] = std::minmax(number[a], number[b]);
    const bool same_price = !set.prices.empty() && !is_group(a) && !is_group(b);
    if (low != high)
      edges.push_back({{low, high}, same_price ? set.prices[k] : std::numeric_limits<double>::quiet_NaN()});
  }
  std::stable_sort(edges.begin(), edges.end(), [](const Edge& l, const Edge& r) { return l.pair < r.pair; });
  for (const Edge& edge : edges) {
    if (!result.edges.empty() && result.edges.back() == edge.pair) continue;
    result.edges.push_back(edge.pair);
    result.prices.push_back(edge.price);
  }
  return result;
}

}  // namespace hitbox::internal::fit
