#include "fit.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "../base/tolerances.hpp"
#include "../measure/inside.hpp"
#include "../mesh/adjacency.hpp"
#include "clusters.hpp"
#include "cull.hpp"
#include "deviation.hpp"
#include "enclose.hpp"
#include "merge.hpp"
#include "premerge.hpp"

namespace hitbox {

namespace {

// The mesh moved to the origin and scaled to unit diagonal: every length inside is relative.
struct UnitMesh {
  std::vector<Vec3> vertices;
  MeshView view;
  Similarity to_input;

  UnitMesh(const MeshView& mesh, Run& run) : vertices(mesh.vertices.size()) {
    const Bounds box = referenced_bounds(mesh);
    to_input = {{}, box.center(), box.diagonal()};
    run.for_each_block(vertices.size(), 1 << 14, [&](size_t first, size_t last, size_t) {
      for (size_t k = first; k < last; ++k)
        vertices[k] = (mesh.vertices[k] - to_input.translation) / to_input.scale;
    });
    view = {vertices, mesh.indices, mesh.offsets};
  }
};

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
  if (options.cost == Cost::deviation && model.allows(Kind::box)) {
    model.kinds = {};
    model.kinds[static_cast<size_t>(Kind::box)] = true;
    return model;
  }
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

DistanceField distance_field(const MeshView& unit_mesh, const FitOptions& options, Run& run) {
  const bool solid = options.objective == Objective::outer && is_closed_solid(unit_mesh, run);
  return {unit_mesh, solid, options.importance, run};
}

size_t leaf_count(uint32_t finest) { return std::max<size_t>(1024, 8 * size_t{finest}); }

// Takes superfluous shapes out, then thin ones if asked to; the faces of a superfluous shape go to
// the one that holds them.
FitResult without_useless_shapes(std::vector<Shape> shapes, std::vector<std::vector<Vec3>> points,
                                 const Partition& partition, double drop_thin, Run& run) {
  constexpr uint32_t kDropped = UINT32_MAX;
  const std::vector<uint32_t> into = superfluous_shapes(shapes, std::move(points), run);
  FitResult result;
  std::vector<uint32_t> number(shapes.size(), kDropped);
  for (size_t k = 0; k < into.size(); ++k) {
    if (into[k] != k) continue;
    if (drop_thin > 0 && thinnest(shapes[k]) <= drop_thin) {
      ++result.dropped_count;
    } else {
      number[k] = static_cast<uint32_t>(result.shapes.size());
      result.shapes.push_back(std::move(shapes[k]));
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
  return result;
}

}  // namespace

MergeTree build_tree(const MeshView& mesh, uint32_t finest, const FitOptions& options, Run& run) {
  run.enter("prepare", 0, 0.1);
  const UnitMesh unit(mesh, run);
  const double max_excess = excess_limit(options, referenced_bounds(unit.view));
  MergeTree tree;
  tree.face_count = static_cast<uint32_t>(mesh.face_count());
  tree.merges.reserve(tree.face_count);
  std::vector<FacePair> pairs = face_pairs(mesh, run);
  run.enter("premerge", 0.1, 0.4);
  const Premerged leaves =
      premerge(unit.view, std::move(pairs), leaf_count(finest), max_excess, tree, run);
  run.enter("merge", 0.4, 0.9);
  std::optional<DistanceField> field;
  std::optional<DeviationMeter> meter;
  if (options.cost == Cost::deviation) meter.emplace(field.emplace(distance_field(unit.view, options, run)));
  merge_greedily(unit.view, leaves, merging_model(options), meter ? &*meter : nullptr,
                 options.tangent != Tangent::off, max_excess, tree, run);
  return tree;
}

FitResult shapes_after(const MeshView& mesh, const MergeTree& tree, size_t merge_count,
                       const FitOptions& options, Run& run) {
  run.enter("enclose", 0.9, 1);
  const UnitMesh unit(mesh, run);
  const Partition partition = tree.partition_after(merge_count);
  const ClusterMembers members(mesh, partition);
  const CostModel model = cost_model(options);
  const Tolerances tolerances = Tolerances::of_diagonal(unit.to_input.scale);
  const auto for_each_cluster = [&](auto&& body) {  // in three passes, to be asked in between
    run.for_each_block(members.size(), 1, [&](size_t k, size_t, size_t) { body(k); });
  };
  std::vector<FaceOperator> ops(members.size());
  for_each_cluster([&](size_t k) { ops[k] = sum_of_operators(unit.view, members.faces(k)); });
  std::optional<DistanceField> field;
  std::optional<DeviationMeter> meter;
  if (options.cost == Cost::deviation) meter.emplace(field.emplace(distance_field(unit.view, options, run)));
  std::vector<Fitted> fitted(members.size());
  for_each_cluster([&](size_t k) {
    Fitter fitter(model);
    fitted[k] = fit_cluster(unit.view, ops[k], members.faces(k), members.vertices(k),
                            options.tangent, fitter, meter ? &*meter : nullptr);
  });
  std::vector<Shape> shapes(members.size());
  std::vector<std::vector<Vec3>> points(members.size());
  for_each_cluster([&](size_t k) {
    for (const uint32_t v : members.vertices(k)) points[k].push_back(mesh.vertices[v]);
    shapes[k] = enclosing(transformed(to_shape(fitted[k]), unit.to_input), points[k], tolerances);
  });
  return without_useless_shapes(std::move(shapes), std::move(points), partition, options.drop_thin, run);
}

}  // namespace hitbox
