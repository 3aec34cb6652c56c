#include "fit/fit.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/tolerances.hpp"
#include "fit/final_shapes.hpp"
#include "fit/refine/refine.hpp"
#include "fit/tree/groups.hpp"
#include "fit/tree/merge.hpp"
#include "fit/tree/premerge.hpp"
#include "mesh/adjacency.hpp"

namespace hitbox::internal::fit {

namespace {

double excess_limit(const FitOptions& options, const Bounds& unit_box) {
  if (options.max_excess < 0) return Bounds::kInfinity;
  const double least = 2 * Tolerances::of_diagonal(1).thickness;  // gives a flat mesh a volume, too
  const Vec3 size = max(unit_box.size(), Vec3{least, least, least});
  return options.max_excess * size.x * size.y * size.z;
}

// Pairs of faces of one group that share an edge, and pairs of fragments of one face.
std::vector<FacePair> neighbours(const FitInput& input, Run& run) {
  const std::vector<uint32_t>& group = input.options.group_of_face;
  HITBOX_ASSERT(group.empty() || group.size() == input.welded().face_count());
  std::vector<FacePair> pairs = face_pairs(input.welded(), run);
  if (!group.empty()) std::erase_if(pairs, [&](const FacePair& p) { return group[p.a] != group[p.b]; });
  for (uint32_t k = 1; k < input.source_face.size(); ++k)
    if (input.source_face[k] == input.source_face[k - 1]) pairs.push_back({k - 1, k});
  return pairs;
}

// The first merges, and the resulting leaves.
LeafSet first_leaves(const FitInput& input, size_t count, const Tools& tools, MergeTree& tree, Run& run) {
  run.enter("premerge", 0.1, 0.4);
  const MeshView mesh = input.welded();
  tree.face_count = static_cast<uint32_t>(mesh.face_count());
  tree.merges.reserve(tree.face_count);
  tree.input_face = input.input_face;
  tree.merge_parts(input.simple);
  const double max_excess = excess_limit(input.options, referenced_bounds(mesh));
  const std::vector<uint32_t>& groups = input.options.group_of_face;
  const std::vector<FacePair> pairs = neighbours(input, run);
  const Premerged premerged = premerge(mesh, pairs, groups, count, max_excess, tree, run);
  const bool with_tangent = input.options.tangent != Tangent::off;
  if (!input.field) return make_leaves(mesh, premerged, pairs, tree, tools.quick, nullptr, with_tangent, run);
  // Made here and not in the input, because premerging needs much memory of its own.
  std::optional<TriangleBvh> made;
  if (!input.uncut_surface) made.emplace(mesh, run);
  const Surroundings around{made ? *made : *input.uncut_surface, *input.field};
  return make_leaves(mesh, premerged, pairs, tree, tools.quick, &around, with_tangent, run);
}

// Joins leaves into groups that pay off according to a first run of merging pairs.
LeafSet grouped(const FitInput& input, LeafSet leaves, uint32_t count, const Tools& tools, MergeTree& tree, Run& run) {
  if (!tools.plan.groups || !input.field || leaves.leaves.size() <= count) return leaves;
  const auto before = static_cast<ptrdiff_t>(tree.merges.size());
  const MergeLimits limits{count, excess_limit(input.options, referenced_bounds(input.welded()))};
  const MergeHistory pairs =
      merge_greedily(input.welded(), leaves, tools.quick, input.options.tangent != Tangent::off, limits, tree, run);
  tree.merges.erase(tree.merges.begin() + before, tree.merges.end());  // a copy of the tree would be large
  const std::vector<LeafGroup> groups = find_groups(input.welded(), leaves, pairs, count, tools.thorough, run);
  leaves.prices = pairs.edge_prices;
  return groups.empty() ? leaves : with_groups(input.welded(), leaves, groups, tree);
}

std::vector<Moments> medial_of_clusters(const MergeTree& tree, const Partition& partition) {
  std::vector<Moments> medial(partition.cluster_count);
  for (size_t k = 0; k < tree.leaf_face.size(); ++k) {
    Moments& sum = medial[partition.cluster_of_face[tree.leaf_face[k]]];
    sum = joined(sum, tree.leaf_medial[k]);
  }
  return medial;
}

void remember_leaves(const LeafSet& set, MergeTree& tree) {
  for (const Leaf& leaf : set.leaves) {
    tree.leaf_face.push_back(tree.first_face(leaf.node));
    tree.leaf_medial.push_back(leaf.medial);
  }
}

// Assigns faces to the clusters of their leaves.
Clusters refined(const FitInput& input, const LeafSet& leaves, const Partition& by_leaf, const Partition& start,
                 const MergeTree& tree, const RefineLimits& limits, const Tools& tools, Run& run) {
  std::vector<uint32_t> cluster_of_leaf;
  for (const uint32_t face : tree.leaf_face) cluster_of_leaf.push_back(start.cluster_of_face[face]);
  Refined better = refine(input.welded(), leaves, std::move(cluster_of_leaf), tools.thorough, limits, run);
  std::vector<uint32_t> cluster_of_part(by_leaf.cluster_count);
  for (size_t k = 0; k < tree.leaf_face.size(); ++k)
    cluster_of_part[by_leaf.cluster_of_face[tree.leaf_face[k]]] = better.cluster_of_leaf[k];
  Clusters result{{by_leaf.cluster_of_face, static_cast<uint32_t>(better.shapes.size())}, std::move(better.shapes)};
  result.ended_early = better.ended_early;
  for (uint32_t& cluster : result.partition.cluster_of_face) cluster = cluster_of_part[cluster];
  return result;
}

MergeTree tree_down_to(const FitInput& input, uint32_t finest, size_t last, const Tools& tools, Run& run) {
  MergeTree tree;
  LeafSet leaves = first_leaves(input, tools.plan.leaf_count(finest), tools, tree, run);
  remember_leaves(leaves, tree);
  run.enter("group", 0.4, 0.65);
  leaves = grouped(input, std::move(leaves), finest, tools, tree, run);
  run.enter("merge", 0.65, 0.9);
  const MergeLimits limits{last, excess_limit(input.options, referenced_bounds(input.welded()))};
  merge_greedily(input.welded(), leaves, tools.quick, input.options.tangent != Tangent::off, limits, tree, run);
  return tree;
}

}  // namespace

FitResult fit(const FitInput& input, uint32_t count, Run& run) {
  return padded(fit_unpadded(input, count, run), input);
}

FitResult fit_unpadded(const FitInput& input, uint32_t count, Run& run) {
  const Tools tools(input);
  if (!tools.meter) {
    const MergeTree tree = tree_down_to(input, count, 1, tools, run);
    return shapes_around(input, {tree.partition_after(tree.merges_to(count))}, Trimming::off, tools, run);
  }
  MergeTree tree;
  const LeafSet leaves = first_leaves(input, tools.plan.leaf_count(count), tools, tree, run);
  remember_leaves(leaves, tree);
  const Partition by_leaf = tree.partition_after(tree.merges.size());
  run.enter("group", 0.4, 0.55);
  const LeafSet start = grouped(input, leaves, count, tools, tree, run);
  const size_t groups_end = tree.merges.size();
  run.enter("merge", 0.55, 0.7);
  // Continues below the count, because a flat grid needs merges with a cost before free ones.
  const MergeLimits limits{1, excess_limit(input.options, referenced_bounds(input.welded()))};
  const MergeHistory history =
      merge_greedily(input.welded(), start, tools.quick, input.options.tangent != Tangent::off, limits, tree, run);
  size_t merges = std::max(tree.merges_to(count), groups_end);
  // Fewer shapes with no more deviation.
  while (merges < tree.merges.size() && history.steps[merges - groups_end].added <= 0) ++merges;
  Clusters clusters{tree.partition_after(merges)};
  if (const size_t tries = tools.plan.tries_for(clusters.partition.cluster_count); tries > 0) {
    run.enter("refine", 0.7, 0.9);
    clusters = refined(input, leaves, by_leaf, clusters.partition, tree, {count, tries, input.deadline}, tools, run);
  }
  clusters.medial = medial_of_clusters(tree, clusters.partition);
  return shapes_around(input, std::move(clusters), Trimming::on, tools, run);
}

MergeTree build_tree(const FitInput& input, uint32_t finest, Run& run) {
  return tree_down_to(input, finest, 1, Tools(input), run);
}

FitResult shapes_after(const FitInput& input, const MergeTree& tree, size_t merge_count, Run& run) {
  Clusters clusters{tree.partition_after(merge_count)};
  clusters.medial = medial_of_clusters(tree, clusters.partition);
  return padded(shapes_around(input, std::move(clusters), Trimming::off, Tools(input), run), input);
}

}  // namespace hitbox::internal::fit
