#include "fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "../base/assert.hpp"
#include "../base/tolerances.hpp"
#include "../measure/inside.hpp"
#include "../mesh/adjacency.hpp"
#include "capped_hull.hpp"
#include "clusters.hpp"
#include "cull.hpp"
#include "enclose.hpp"
#include "groups.hpp"
#include "merge.hpp"
#include "premerge.hpp"
#include "refine.hpp"

namespace hitbox {

namespace {

constexpr double kClearance = 0.01;  // of the diagonal; FIT: 0.003 to 0.03 tried, flat around here

CostModel cost_model(const FitOptions& options) {
  const bool grown = options.cost == Cost::grown || options.cost == Cost::deviation;
  return {options.kinds, options.weights, grown ? kClearance : 0,
          Tolerances::of_diagonal(1).thickness,
          options.cost == Cost::joint ? options.overlap_samples : 0};
}

// What merging compares. The paper's cost tries all kinds; ours leaves the slanted ones to the final
// clusters. They take a third of the time and make the clusters neither better nor worse.
CostModel merging_model(const FitOptions& options) {
  CostModel model = cost_model(options);
  CostModel upright = model;
  upright.kinds[static_cast<size_t>(Kind::frustum)] = false;
  upright.kinds[static_cast<size_t>(Kind::prism)] = false;
  const bool any = std::find(upright.kinds.begin(), upright.kinds.end(), true) != upright.kinds.end();
  const bool grown = options.cost == Cost::grown || options.cost == Cost::deviation;
  return grown && any ? upright : model;
}

double excess_limit(const FitOptions& options, const Bounds& unit_box) {
  if (options.max_excess < 0) return Bounds::kInfinity;
  const double least = 2 * Tolerances::of_diagonal(1).thickness;  // a flat mesh has a volume too
  const Vec3 size = max(unit_box.size(), Vec3{least, least, least});
  return options.max_excess * size.x * size.y * size.z;
}

// What each preset spends. Leaves, groups and refinement are what quality comes from; polishing lowers
// the distance by another twentieth.
struct Plan {
  size_t leaves_a_shape, least_leaves;
  bool groups;
  size_t tries;         // of refinement, for each shape
  size_t least_tries;
  int polish_rounds;
  double density;       // of the meter's lattice

  static Plan of(Effort effort) {
    switch (effort) {
      case Effort::fast: return {4, 1024, false, 0, 0, 0, 2.5};
      case Effort::fine: return {8, 4096, true, 60, 20000, 8, 4};
      default: return {4, 1024, true, 3, 3500, 3, 2.5};
    }
  }
  size_t leaf_count(uint32_t shapes) const { return std::max(least_leaves, leaves_a_shape * shapes); }
  size_t tries_for(size_t shapes) const { return tries == 0 ? 0 : std::max(least_tries, tries * shapes); }
};

std::vector<uint32_t> group_of_cluster(const Partition& partition,
                                       std::span<const uint32_t> group_of_face) {
  std::vector<uint32_t> group(group_of_face.empty() ? 0 : partition.cluster_count);
  for (size_t f = 0; f < group_of_face.size(); ++f)
    group[partition.cluster_of_face[f]] = group_of_face[f];
  return group;
}

// Fragments as the faces they are of, each once a shape.
void name_source_faces(FitResult& result, std::span<const uint32_t> source_face) {
  if (source_face.empty()) return;
  uint32_t out = 0;
  for (size_t k = 0, first = 0; k + 1 < result.face_offsets.size(); ++k) {
    const uint32_t last = result.face_offsets[k + 1], start = out;
    for (; first < last; ++first) {
      const uint32_t source = source_face[result.faces[first]];
      if (out == start || result.faces[out - 1] != source) result.faces[out++] = source;
    }
    result.face_offsets[k + 1] = out;
  }
  result.faces.resize(out);
}

// The paper's own costs are there for its tables, and merge single faces.
bool finds_simple_parts(const FitOptions& options) {
  return options.cost != Cost::volume && options.cost != Cost::joint;
}

// For each cluster the shape of the simple part that is all of it, or none.
std::vector<const Fitted*> simple_shapes(std::span<const SimplePart> parts, const Partition& partition,
                                         const ClusterMembers& members) {
  std::vector<const Fitted*> shapes(members.size(), nullptr);
  for (const SimplePart& part : parts) {
    const uint32_t cluster = partition.cluster_of_face[part.faces[0]];
    if (members.faces(cluster).size() == part.faces.size()) shapes[cluster] = &part.shape;
  }
  return shapes;
}

// Faces of one group that share an edge, and fragments of one face, whatever edges they share.
std::vector<FacePair> neighbours(const FitInput& input, Run& run) {
  const std::vector<uint32_t>& group = input.options.group_of_face;
  HITBOX_ASSERT(group.empty() || group.size() == input.welded().face_count());
  std::vector<FacePair> pairs = face_pairs(input.welded(), run);
  if (!group.empty()) std::erase_if(pairs, [&](const FacePair& p) { return group[p.a] != group[p.b]; });
  for (uint32_t k = 1; k < input.source_face.size(); ++k)
    if (input.source_face[k] == input.source_face[k - 1]) pairs.push_back({k - 1, k});
  return pairs;
}

// Everything a fit measures shapes with.
struct Tools {
  Plan plan;
  CostModel merging, final;
  std::optional<DeviationMeter> meter;
  Shaper quick, thorough;

  explicit Tools(const FitInput& input)
      : plan(Plan::of(input.options.effort)), merging(merging_model(input.options)),
        final(cost_model(input.options)), meter(meter_of(input)),
        quick(merging, meter ? &*meter : nullptr, input.clear),
        thorough(final, meter ? &*meter : nullptr, input.clear) {}
  Tools(const Tools&) = delete;

  static std::optional<DeviationMeter> meter_of(const FitInput& input) {
    if (!input.field) return std::nullopt;
    return DeviationMeter(*input.field, Plan::of(input.options.effort).density);
  }
};

// The first merges, and what is known of the leaves they end in.
LeafSet first_leaves(const FitInput& input, size_t count, const Tools& tools, MergeTree& tree, Run& run) {
  run.enter("premerge", 0.1, 0.4);
  const MeshView mesh = input.welded();
  tree.face_count = static_cast<uint32_t>(mesh.face_count());
  tree.merges.reserve(tree.face_count);
  tree.source_face = input.source_face;
  tree.merge_parts(input.simple);
  const double max_excess = excess_limit(input.options, referenced_bounds(mesh));
  const std::vector<uint32_t>& groups = input.options.group_of_face;
  const std::vector<FacePair> pairs = neighbours(input, run);
  const Premerged premerged = premerge(mesh, pairs, groups, count, max_excess, tree, run);
  const bool with_tangent = input.options.tangent != Tangent::off;
  if (!input.field) return make_leaves(mesh, premerged, pairs, tree, tools.quick, nullptr, with_tangent, run);
  const Surroundings around{*input.surface, *input.field};
  return make_leaves(mesh, premerged, pairs, tree, tools.quick, &around, with_tangent, run);
}

// Joins leaves into the groups that a first round of merging pairs shows to be worth it.
LeafSet grouped(const FitInput& input, LeafSet leaves, uint32_t count, const Tools& tools, MergeTree& tree,
                Run& run) {
  if (!tools.plan.groups || !input.surface || leaves.leaves.size() <= count) return leaves;
  MergeTree scratch = tree;
  const MergeLimits limits{count, excess_limit(input.options, referenced_bounds(input.welded()))};
  const MergeHistory pairs = merge_greedily(input.welded(), leaves, tools.quick, input.options.tangent != Tangent::off,
                                          limits, scratch, run);
  const std::vector<LeafGroup> groups = find_groups(input.welded(), leaves, pairs, count, tools.thorough, run);
  leaves.prices = pairs.edge_prices;
  return groups.empty() ? leaves : with_groups(input.welded(), leaves, groups, tree);
}

// Halves the clusters whose shapes enter space that is to be kept clear: that space wins over the count.
Partition without_refused(const MeshView& mesh, Partition partition, const ClusterMembers& members,
                          std::span<const Fitted> shapes) {
  for (size_t k = 0; k < shapes.size(); ++k) {
    const auto faces = members.faces(k);
    if (!shapes[k].refused || faces.size() < 2) continue;
    Bounds box;
    std::vector<Vec3> center;
    for (const uint32_t f : faces) box.add(center.emplace_back(face_moments(mesh.vertices, mesh.face(f)).centroid));
    const Vec3 size = box.size();
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    std::vector<uint32_t> order(faces.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return center[a][axis] < center[b][axis]; });
    for (size_t j = order.size() / 2; j < order.size(); ++j)
      partition.cluster_of_face[faces[order[j]]] = partition.cluster_count;
    ++partition.cluster_count;
  }
  return partition;
}

// Clusters of faces, and shapes found on the way to them.
struct Clusters {
  Partition partition;
  std::vector<Fitted> shapes;  // nearly around each cluster; none: not known
  bool ended_early = false;
};

double highest(std::span<const Fitted> shapes) {
  double reach = 0;
  for (const Fitted& shape : shapes) reach = std::max(reach, shape.reach);
  return reach;
}

// The best shape, unless it reaches far or is refused, and the one from before does not, or is not: refining
// has paid for that. The fitter has the cluster's points.
Fitted kept_low(const Fitted& best, const Fitted& before, double peak, const Shaper& shaper, Fitter& fitter) {
  constexpr double kFar = 0.25;  // of the peak: what nobody sees beside it may reach further than before
  const double reach = shaper.reach(best);
  if (before.refused || (!best.refused && reach <= std::max(kFar * peak, before.reach))) return best;
  Fitted low = fitter.refit(before);
  shaper.price(low);
  return !low.refused && (best.refused || shaper.reach(low) < reach) ? low : best;
}

// A hull of few vertices, where that deviates less than half as much as the best primitive, or stays out
// of space that the primitive enters.
std::optional<Shape> better_hull(const FitInput& input, const Tools& tools, const Fitted& fitted,
                                 std::span<const uint32_t> vertices) {
  constexpr double kWorthIt = 0.5;
  if (input.options.hull_vertices == 0) return std::nullopt;
  std::vector<Vec3> points;
  for (const uint32_t v : vertices) points.push_back(input.unit_exact[v]);
  const std::optional<Hull> hull = capped_hull(points, input.options.hull_vertices, tools.final.thickness);
  if (!hull || input.clear.entered_by(*hull)) return std::nullopt;
  const bool better = fitted.refused ? true
                      : tools.meter  ? (*tools.meter)(*hull).sum < kWorthIt * (*tools.meter)(fitted).sum
                                     : volume(*hull) < kWorthIt * volume(to_shape(fitted));
  return better ? std::optional<Shape>(*hull) : std::nullopt;
}

Shape in_input(const FitInput& input, const Shape& unit, std::span<const Vec3> points) {
  return enclosing(transformed(unit, input.to_input), points, Tolerances::of_diagonal(input.to_input.scale));
}

// The shapes around clusters: the best in unit coordinates, then enclosing exactly in those of the input.
FitResult shapes_around(const FitInput& input, const Clusters& clusters, std::span<const Moments> medial,
                        const Tools& tools, Run& run) {
  run.enter("enclose", 0.9, 1);
  const Partition& partition = clusters.partition;
  const double peak = highest(clusters.shapes);
  const MeshView mesh = input.exact();
  const ClusterMembers members(mesh, partition);
  const auto for_each_cluster = [&](auto&& body) {  // in three passes, to be asked in between
    run.for_each_block(members.size(), 1, [&](size_t k, size_t, size_t) { body(k); });
  };
  const std::vector<const Fitted*> simple = simple_shapes(input.simple, partition, members);
  std::vector<FaceOperator> ops(members.size());
  for_each_cluster([&](size_t k) { ops[k] = sum_of_operators(mesh, members.faces(k)); });
  std::vector<Fitted> fitted(members.size());
  std::vector<std::optional<Shape>> hulls(members.size());
  for_each_cluster([&](size_t k) {
    if (simple[k] != nullptr) {
      fitted[k] = *simple[k];
      return;
    }
    Fitter fitter(tools.final);
    fitted[k] = fit_cluster(mesh, ops[k], medial.empty() ? Moments{} : medial[k], members.faces(k),
                            members.vertices(k), input.options.tangent, tools.thorough, tools.plan.polish_rounds,
                            fitter, run);
    if (!clusters.shapes.empty()) fitted[k] = kept_low(fitted[k], clusters.shapes[k], peak, tools.thorough, fitter);
    hulls[k] = better_hull(input, tools, fitted[k], members.vertices(k));
    if (hulls[k]) fitted[k].refused = false;
  });
  if (Partition finer = without_refused(mesh, partition, members, fitted); finer.cluster_count > members.size())
    return shapes_around(input, {std::move(finer), {}}, {}, tools, run);
  std::vector<Shape> shapes(members.size());
  std::vector<std::vector<Vec3>> points(members.size());
  for_each_cluster([&](size_t k) {
    for (const uint32_t v : members.vertices(k)) points[k].push_back(input.exact_vertices[v]);
    shapes[k] = in_input(input, hulls[k] ? *hulls[k] : to_shape(fitted[k]), points[k]);
  });
  return without_useless_shapes(std::move(shapes), std::move(points), partition, input, run);
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
  std::vector<uint32_t> a_face(tree.face_count + tree.merges.size());
  std::iota(a_face.begin(), a_face.end(), 0u);
  for (size_t k = 0; k < tree.merges.size(); ++k) a_face[tree.face_count + k] = a_face[tree.merges[k].a];
  for (const Leaf& leaf : set.leaves) {
    tree.leaf_face.push_back(a_face[leaf.node]);
    tree.leaf_medial.push_back(leaf.medial);
  }
}

// Faces follow their leaves.
Clusters refined(const FitInput& input, const LeafSet& leaves, const Partition& by_leaf, const Partition& start,
                 const MergeTree& tree, const RefineLimits& limits, const Tools& tools, Run& run) {
  std::vector<uint32_t> cluster_of_leaf;
  for (const uint32_t face : tree.leaf_face) cluster_of_leaf.push_back(start.cluster_of_face[face]);
  Refined better = refine(input.welded(), leaves, std::move(cluster_of_leaf), tools.thorough, limits, run);
  std::vector<uint32_t> cluster_of_part(by_leaf.cluster_count);
  for (size_t k = 0; k < tree.leaf_face.size(); ++k)
    cluster_of_part[by_leaf.cluster_of_face[tree.leaf_face[k]]] = better.cluster_of_leaf[k];
  Clusters result{{by_leaf.cluster_of_face, static_cast<uint32_t>(better.shapes.size())}, std::move(better.shapes),
                  better.ended_early};
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

FitResult without_useless_shapes(std::vector<Shape> shapes, std::vector<std::vector<Vec3>> points,
                                 const Partition& partition, const FitInput& input, Run& run) {
  const FitOptions& options = input.options;
  constexpr uint32_t kDropped = UINT32_MAX;
  const std::vector<uint32_t> into = superfluous_shapes(
      shapes, std::move(points), group_of_cluster(partition, options.group_of_face), run);
  const double drop_thin = options.drop_thin;
  FitResult result;
  std::vector<uint32_t> number(shapes.size(), kDropped);
  for (size_t k = 0; k < into.size(); ++k) {
    if (into[k] != k) continue;
    if (drop_thin > 0 && thinnest(shapes[k]) <= drop_thin) {
      ++result.dropped_count;
    } else {
      number[k] = static_cast<uint32_t>(result.shapes.size());
      result.shapes.push_back(std::move(shapes[k]));
      result.clusters.push_back(static_cast<uint32_t>(k));
    }
  }
  result.face_offsets.assign(result.shapes.size() + 1, 0);
  const auto shape_of = [&](uint32_t face) { return number[into[partition.cluster_of_face[face]]]; };
  const auto face_count = static_cast<uint32_t>(partition.cluster_of_face.size());
  for (uint32_t f = 0; f < face_count; ++f)
    if (shape_of(f) != kDropped) ++result.face_offsets[shape_of(f) + 1];
  std::partial_sum(result.face_offsets.begin(), result.face_offsets.end(),
                   result.face_offsets.begin());
  result.faces.resize(result.face_offsets.back());
  std::vector<uint32_t> next = result.face_offsets;
  for (uint32_t f = 0; f < face_count; ++f)
    if (shape_of(f) != kDropped) result.faces[next[shape_of(f)]++] = f;
  name_source_faces(result, input.source_face);
  return result;
}

FitResult padded(FitResult result, const FitInput& input) {
  const double least = Tolerances::of_diagonal(input.to_input.scale).thickness;
  for (Shape& shape : result.shapes) shape = padded(shape, input.options.pad, least);
  return result;
}

struct FinalShaper::Own : Tools {
  using Tools::Tools;
};

FinalShaper::FinalShaper(const FitInput& input) : input_(input), tools_(std::make_unique<Own>(input)) {
  for (const SimplePart& part : input.simple) part_of_face_.emplace_back(part.faces[0], &part);
  std::sort(part_of_face_.begin(), part_of_face_.end());
}
FinalShaper::~FinalShaper() = default;

std::vector<Vec3> FinalShaper::points(std::span<const uint32_t> vertices) const {
  std::vector<Vec3> points;
  points.reserve(vertices.size());
  for (const uint32_t v : vertices) points.push_back(input_.exact_vertices[v]);
  return points;
}

// The simple part that these faces are, if they are one.
const SimplePart* FinalShaper::simple_part(std::span<const uint32_t> faces) const {
  const uint32_t first = *std::min_element(faces.begin(), faces.end());
  const auto at = std::lower_bound(part_of_face_.begin(), part_of_face_.end(), first,
                                   [](const auto& entry, uint32_t face) { return entry.first < face; });
  if (at == part_of_face_.end() || at->first != first || at->second->faces.size() != faces.size()) return nullptr;
  std::vector<uint32_t> ascending(faces.begin(), faces.end());
  std::sort(ascending.begin(), ascending.end());
  return ascending == at->second->faces ? at->second : nullptr;
}

Shape FinalShaper::around(std::span<const uint32_t> faces, std::span<const uint32_t> vertices,
                          const Moments& medial, Run& run) const {
  const MeshView mesh = input_.exact();
  run.poll();
  Fitter fitter(tools_->final);
  const SimplePart* part = simple_part(faces);
  const Fitted fitted = part != nullptr
                            ? part->shape
                            : fit_cluster(mesh, sum_of_operators(mesh, faces), medial, faces, vertices,
                                          input_.options.tangent, tools_->thorough, tools_->plan.polish_rounds, fitter,
                                          run);
  run.poll();
  std::optional<Shape> hull;
  if (part == nullptr) hull = better_hull(input_, *tools_, fitted, vertices);
  return in_input(input_, hull ? *hull : to_shape(fitted), points(vertices));
}

// Rounded, so that a mesh gives the same decisions wherever and however large it is: what differs in the
// last bits mostly falls on the same point. Far below the slack that shapes are grown by.
static Vec3 on_grid(const Vec3& unit) {
  constexpr double kCells = static_cast<double>(uint64_t{1} << 40);
  const auto rounded = [&](double x) { return std::nearbyint(x * kCells) / kCells; };
  return {rounded(unit.x), rounded(unit.y), rounded(unit.z)};
}

FitInput::FitInput(const MeshView& welded_mesh, const MeshView& exact_mesh, FitOptions with, Run& run)
    : options(std::move(with)),
      offsets(exact_mesh.offsets.begin(), exact_mesh.offsets.end()),
      welded_indices(welded_mesh.indices.begin(), welded_mesh.indices.end()),
      exact_indices(exact_mesh.indices.begin(), exact_mesh.indices.end()),
      exact_vertices(exact_mesh.vertices.begin(), exact_mesh.vertices.end()) {
  // What one merge may add is a volume, so merging then goes by volumes.
  if (options.max_excess >= 0 && options.cost == Cost::deviation) options.cost = Cost::grown;
  if (options.time_budget > 0)
    deadline = std::chrono::steady_clock::now() +
               std::chrono::microseconds(static_cast<int64_t>(1e6 * std::min(options.time_budget, 1e9)));
  run.enter("prepare", 0, 0.1);
  const Bounds box = referenced_bounds(exact_mesh);
  to_input = {{}, box.center(), box.diagonal()};
  const auto to_unit = [&](std::span<const Vec3> vertices) {
    std::vector<Vec3> unit(vertices.size());
    run.for_each_block(unit.size(), 1 << 14, [&](size_t first, size_t last, size_t) {
      for (size_t k = first; k < last; ++k) unit[k] = on_grid((vertices[k] - to_input.translation) / to_input.scale);
    });
    return unit;
  };
  unit_exact = to_unit(exact_mesh.vertices);
  unit_welded = to_unit(welded_mesh.vertices);
  clear = kept_space(options, to_input, run);
  solid = options.objective == Objective::outer && is_closed_solid(welded(), run);
  CutFaces cut_faces;
  if (finds_simple_parts(options)) {
    // Fragments are enclosed exactly only where welding has not moved the faces they are of.
    const bool may_cut = std::ranges::equal(welded_mesh.vertices, exact_mesh.vertices) &&
                         std::ranges::equal(welded_indices, exact_indices);
    Simplified simplified = simplify(welded(), options, may_cut, run);
    simple = std::move(simplified.parts);
    cut_faces = std::move(simplified.cut);
    std::erase_if(simple, [&](const SimplePart& part) { return clear.entered_by(to_shape(part.shape)); });
  }
  const bool nothing_to_merge = simple.size() == 1 && simple[0].faces.size() == offsets.size() - 1;
  if (options.cost == Cost::deviation && !nothing_to_merge) {
    field.emplace(welded(), solid, options.importance, run);
    surface.emplace(welded(), run);
  }
  if (!cut_faces.empty()) cut(cut_faces);
}

void FitInput::cut(const CutFaces& faces) {
  for (const Vec3& v : faces.new_vertices) {
    unit_welded.push_back(v);
    unit_exact.push_back(v);
    exact_vertices.push_back(to_input.apply(v));
  }
  welded_indices = exact_indices = faces.indices;
  offsets = faces.offsets;
  source_face = faces.source;
  const auto of_fragments = [&](auto& values) {
    if (values.empty()) return;
    std::remove_reference_t<decltype(values)> mapped;
    for (const uint32_t face : source_face) mapped.push_back(values[face]);
    values = std::move(mapped);
  };
  of_fragments(options.group_of_face);
  of_fragments(options.importance);
}

FitResult fit(const FitInput& input, uint32_t count, Run& run) {
  return padded(fit_unpadded(input, count, run), input);
}

FitResult fit_unpadded(const FitInput& input, uint32_t count, Run& run) {
  const Tools tools(input);
  if (!tools.meter) {
    const MergeTree tree = tree_down_to(input, count, 1, tools, run);
    return shapes_around(input, {tree.partition_after(tree.merges_to(count)), {}}, {}, tools, run);
  }
  MergeTree tree;
  const LeafSet leaves = first_leaves(input, tools.plan.leaf_count(count), tools, tree, run);
  remember_leaves(leaves, tree);
  const Partition by_leaf = tree.partition_after(tree.merges.size());
  run.enter("group", 0.4, 0.55);
  const LeafSet start = grouped(input, leaves, count, tools, tree, run);
  const size_t groups_end = tree.merges.size();
  run.enter("merge", 0.55, 0.7);
  // Beyond the count too: a flat grid needs merges that cost something before they cost nothing.
  const MergeLimits limits{1, excess_limit(input.options, referenced_bounds(input.welded()))};
  const MergeHistory history =
      merge_greedily(input.welded(), start, tools.quick, input.options.tangent != Tangent::off, limits, tree, run);
  size_t merges = std::max(tree.merges_to(count), groups_end);
  // Fewer shapes that deviate no more.
  while (merges < tree.merges.size() && history.steps[merges - groups_end].added <= 0) ++merges;
  Clusters clusters{tree.partition_after(merges), {}};
  if (const size_t tries = tools.plan.tries_for(clusters.partition.cluster_count); tries > 0) {
    run.enter("refine", 0.7, 0.9);
    clusters = refined(input, leaves, by_leaf, clusters.partition, tree, {count, tries, input.deadline}, tools, run);
  }
  FitResult result = shapes_around(input, clusters, medial_of_clusters(tree, clusters.partition), tools, run);
  result.ended_early = clusters.ended_early;
  return result;
}

MergeTree build_tree(const FitInput& input, uint32_t finest, Run& run) {
  return tree_down_to(input, finest, 1, Tools(input), run);
}

FitResult shapes_after(const FitInput& input, const MergeTree& tree, size_t merge_count, Run& run) {
  const Clusters clusters{tree.partition_after(merge_count), {}};
  return padded(shapes_around(input, clusters, medial_of_clusters(tree, clusters.partition), Tools(input), run), input);
}

}  // namespace hitbox
