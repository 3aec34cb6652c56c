#include "fit/final_shapes.hpp"

#include <algorithm>
#include <numeric>

#include "fit/enclose.hpp"
#include "fit/refine/cull.hpp"
#include "fit/trim.hpp"
#include "hulls/capped_hull.hpp"
#include "mesh/clusters.hpp"
#include "shapes/enclosing.hpp"

namespace hitbox::internal::fit {

namespace {

std::vector<uint32_t> group_of_cluster(const Partition& partition, std::span<const uint32_t> group_of_face) {
  std::vector<uint32_t> group(group_of_face.empty() ? 0 : partition.cluster_count);
  for (size_t f = 0; f < group_of_face.size(); ++f) group[partition.cluster_of_face[f]] = group_of_face[f];
  return group;
}

// Maps faces to those of the input. A shape names a face with several fragments once.
void name_input_faces(FitResult& result, std::span<const uint32_t> input_face) {
  std::vector<uint32_t> named;
  for (size_t k = 0, first = 0; k + 1 < result.face_offsets.size(); ++k) {
    const auto start = static_cast<ptrdiff_t>(named.size());
    for (; first < result.face_offsets[k + 1]; ++first) named.push_back(input_face[result.faces[first]]);
    std::sort(named.begin() + start, named.end());
    named.erase(std::unique(named.begin() + start, named.end()), named.end());
    result.face_offsets[k + 1] = static_cast<uint32_t>(named.size());
  }
  result.faces = std::move(named);
}

// For each cluster the simple part that it consists of, or none.
std::vector<const SimplePart*> simple_parts(std::span<const SimplePart> parts, const Partition& partition,
                                            const ClusterMembers& members) {
  std::vector<const SimplePart*> of_cluster(members.size(), nullptr);
  for (const SimplePart& part : parts) {
    const uint32_t cluster = partition.cluster_of_face[part.faces[0]];
    if (members.faces(cluster).size() == part.faces.size()) of_cluster[cluster] = &part;
  }
  return of_cluster;
}

double highest(std::span<const Fitted> shapes) {
  double reach = 0;
  for (const Fitted& shape : shapes) reach = std::max(reach, shape.reach);
  return reach;
}

// The best shape, unless it reaches far or is refused while the former shape does not or is not, because refining has
// paid for that. The fitter has the cluster's points.
Fitted kept_low(const Fitted& best, const Fitted& before, double low_enough, const Shaper& shaper, Fitter& fitter) {
  if (before.refused) return best;
  const double reach = shaper.reach(best);
  if (!best.refused && reach <= std::max(low_enough, before.reach)) return best;
  Fitted low = fitter.refit(before);
  shaper.price(low);
  return !low.refused && (best.refused || shaper.reach(low) < reach) ? low : best;
}

// A hull of few vertices, if it deviates less than half as much as the best primitive, or stays out of space that the
// primitive enters.
std::optional<Shape> better_hull(const FitInput& input, const Tools& tools, const Fitted& fitted,
                                 std::span<const uint32_t> vertices) {
  constexpr double kWorthIt = 0.5;
  if (input.options.max_vertices == 0) return std::nullopt;
  std::vector<Vec3> points;
  for (const uint32_t v : vertices) points.push_back(input.exact().vertices[v]);
  const std::optional<Hull> hull = capped_hull(points, input.options.max_vertices, tools.final.thickness);
  if (!hull || input.clear.entered_by(*hull)) return std::nullopt;
  const bool better = fitted.refused ? true
                      : tools.meter  ? (*tools.meter)(*hull).sum < kWorthIt * (*tools.meter)(fitted).sum
                                     : volume(*hull) < kWorthIt * volume(to_shape(fitted));
  return better ? std::optional<Shape>(*hull) : std::nullopt;
}

Shape in_input(const FitInput& input, const Shape& unit, std::span<const Vec3> points) {
  return enclosing(transformed(unit, input.to_input), points, Tolerances::of_diagonal(input.to_input.scale));
}

// The faces that go into the second half of a cluster: those beyond the median along the longest side of the bounding
// box.
std::vector<uint32_t> second_half(const MeshView& mesh, std::span<const uint32_t> faces) {
  Bounds box;
  std::vector<Vec3> center;
  for (const uint32_t f : faces) box.add(center.emplace_back(face_moments(mesh.vertices, mesh.face(f)).centroid));
  const Vec3 size = box.size();
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  std::vector<uint32_t> order(faces.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return center[a][axis] < center[b][axis]; });
  std::vector<uint32_t> half;
  for (size_t k = order.size() / 2; k < order.size(); ++k) half.push_back(faces[order[k]]);
  return half;
}

// Makes the shapes of all clusters, step by step.
class FinalShapes {
 public:
  FinalShapes(const FitInput& input, Clusters clusters, const Tools& tools, Run& run)
      : input_(input),
        tools_(tools),
        run_(run),
        mesh_(input.exact()),
        partition_(std::move(clusters.partition)),
        low_(kFar * highest(clusters.shapes)),
        before_(std::move(clusters.shapes)),
        medial_(std::move(clusters.medial)) {
    const ClusterMembers members(mesh_, partition_);
    simple_ = simple_parts(input.simple, partition_, members);
    make_room();
    const std::vector<bool> all(partition_.cluster_count, true);
    fit(members, all);
    refuse_entering(members, all);
  }

  // Space to be kept clear takes precedence over the count. Clusters of single faces are not split.
  void halve_refused() {
    for (;;) {
      const ClusterMembers members(mesh_, partition_);
      std::vector<bool> halved(members.size());
      for (size_t k = 0; k < members.size(); ++k) {
        if (!fitted_[k].refused || members.faces(k).size() < 2) continue;
        for (const uint32_t f : second_half(mesh_, members.faces(k)))
          partition_.cluster_of_face[f] = partition_.cluster_count;
        ++partition_.cluster_count;
        before_[k] = kNotKnown;
        medial_[k] = {};
        simple_[k] = nullptr;
        halved[k] = true;
      }
      if (partition_.cluster_count == members.size()) return;
      halved.resize(partition_.cluster_count, true);
      make_room();
      const ClusterMembers after(mesh_, partition_);
      fit(after, halved);
      refuse_entering(after, halved);
    }
  }

  // Returns whether any shape became smaller.
  bool trim() {
    const std::vector<uint32_t> group = group_of_cluster(partition_, input_.options.group_of_face);
    TrimRules rules{std::vector<bool>(fitted_.size()), group, input_.source_face, low_, {}};
    for (size_t k = 0; k < fitted_.size(); ++k)
      rules.stays[k] = simple_[k] != nullptr || hulls_[k] || fitted_[k].refused;
    Fitter fitter(tools_.final);
    rules.best = [&](uint32_t k, std::span<const uint32_t> faces, std::span<const uint32_t> vertices) {
      return best_primitive(faces, vertices, medial_[k], fitter);
    };
    const std::vector<bool> smaller = fit::trim(mesh_, partition_, fitted_, rules, tools_.thorough, run_);
    const ClusterMembers members(mesh_, partition_);
    for_each_cluster([&](size_t k) {
      if (smaller[k] && !members.faces(k).empty())
        hulls_[k] = better_hull(input_, tools_, fitted_[k], members.vertices(k));
    });
    if (!input_.options.spaces.empty()) {
      refuse_entering(members, smaller);
      halve_refused();
    }
    return std::find(smaller.begin(), smaller.end(), true) != smaller.end();
  }

  FitResult enclosed() {
    leave_out_empty();
    const ClusterMembers members(mesh_, partition_);
    std::vector<Shape> shapes(members.size());
    std::vector<std::vector<Vec3>> points(members.size());
    for_each_cluster([&](size_t k) {
      points[k] = points_of(members, k);
      shapes[k] = final_shape(k, points[k]);
    });
    return without_useless_shapes(std::move(shapes), std::move(points), partition_, input_, run_);
  }

 private:
  static constexpr double kFar = 0.25;  // fraction of the largest reach: smaller reaches are hardly visible beside it
  static inline const Fitted kNotKnown = [] {
    Fitted none;
    none.refused = true;
    return none;
  }();

  void make_room() {
    before_.resize(partition_.cluster_count, kNotKnown);
    medial_.resize(partition_.cluster_count);
    simple_.resize(partition_.cluster_count);
    fitted_.resize(partition_.cluster_count);
    hulls_.resize(partition_.cluster_count);
  }

  template <class Body>
  void for_each_cluster(Body&& body) {
    run_.for_each_block(partition_.cluster_count, 1, [&](size_t k, size_t, size_t) { body(k); });
  }

  Fitted best_primitive(std::span<const uint32_t> faces, std::span<const uint32_t> vertices, const Moments& medial,
                        Fitter& fitter) const {
    const FaceOperator op = sum_of_operators(mesh_, faces);
    run_.poll();
    return fit_cluster(mesh_, op, medial, faces, vertices, input_.options.tangent, tools_.thorough,
                       tools_.plan.polish_rounds_for(partition_.cluster_count), fitter, run_);
  }

  void fit(const ClusterMembers& members, const std::vector<bool>& which) {
    for_each_cluster([&](size_t k) {
      if (!which[k]) return;
      if (simple_[k] != nullptr) {
        fitted_[k] = simple_[k]->shape;
        if (simple_[k]->hull) hulls_[k] = *simple_[k]->hull;
        return;
      }
      Fitter fitter(tools_.final);
      const Fitted best = best_primitive(members.faces(k), members.vertices(k), medial_[k], fitter);
      fitted_[k] = kept_low(best, before_[k], low_, tools_.thorough, fitter);
      hulls_[k] = better_hull(input_, tools_, fitted_[k], members.vertices(k));
      if (hulls_[k]) fitted_[k].refused = false;
    });
  }

  std::vector<Vec3> points_of(const ClusterMembers& members, size_t k) const {
    std::vector<Vec3> points;
    for (const uint32_t v : members.vertices(k)) points.push_back(input_.exact_vertices[v]);
    return points;
  }
  Shape final_shape(size_t k, std::span<const Vec3> points) const {
    return in_input(input_, hulls_[k] ? *hulls_[k] : to_shape(fitted_[k]), points);
  }

  // Refuses shapes that enter a space, with proof. A hull may stay out where a primitive does not.
  void refuse_entering(const ClusterMembers& members, const std::vector<bool>& which) {
    if (input_.options.spaces.empty()) return;
    for_each_cluster([&](size_t k) {
      if (!which[k] || members.faces(k).empty() || fitted_[k].refused) return;
      const std::vector<Vec3> points = points_of(members, k);
      run_.poll();
      if (input_.stays_out_of_spaces(final_shape(k, points))) return;
      fitted_[k].refused = true;
      if (hulls_[k].has_value()) return hulls_[k].reset();
      hulls_[k] = better_hull(input_, tools_, fitted_[k], members.vertices(k));
      if (!hulls_[k]) return;
      fitted_[k].refused = !input_.stays_out_of_spaces(final_shape(k, points));
      if (fitted_[k].refused) hulls_[k].reset();
    });
  }

  void leave_out_empty() {
    std::vector<uint32_t> number(partition_.cluster_count, 0);
    for (const uint32_t cluster : partition_.cluster_of_face) number[cluster] = 1;
    uint32_t count = 0;
    for (uint32_t k = 0; k < number.size(); ++k) {
      if (number[k] == 0) continue;
      std::swap(fitted_[count], fitted_[k]);
      std::swap(hulls_[count], hulls_[k]);
      number[k] = count++;
    }
    for (uint32_t& cluster : partition_.cluster_of_face) cluster = number[cluster];
    partition_.cluster_count = count;
  }

  const FitInput& input_;
  const Tools& tools_;
  Run& run_;
  MeshView mesh_;
  Partition partition_;
  double low_;  // a reach that is always allowed
  std::vector<Fitted> before_;
  std::vector<Moments> medial_;            // of the clusters before trimming
  std::vector<const SimplePart*> simple_;  // null: not a simple part
  std::vector<Fitted> fitted_;
  std::vector<std::optional<Shape>> hulls_;
};

}  // namespace

FitResult shapes_around(const FitInput& input, Clusters clusters, Trimming trimming, const Tools& tools, Run& run) {
  run.enter("enclose", 0.9, 1);
  const bool ended_early = clusters.ended_early;
  FinalShapes shapes(input, std::move(clusters), tools, run);
  shapes.halve_refused();
  if (trimming == Trimming::on && tools.meter)
    for (int round = 0; round < tools.plan.trim_rounds && shapes.trim(); ++round) {
    }
  FitResult result = shapes.enclosed();
  result.ended_early = ended_early;
  return result;
}

FitResult without_useless_shapes(std::vector<Shape> shapes, std::vector<std::vector<Vec3>> points,
                                 const Partition& partition, const FitInput& input, Run& run) {
  const FitOptions& options = input.options;
  constexpr uint32_t kDropped = UINT32_MAX;
  const std::vector<uint32_t> into =
      superfluous_shapes(shapes, std::move(points), group_of_cluster(partition, options.group_of_face), run);
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
  std::partial_sum(result.face_offsets.begin(), result.face_offsets.end(), result.face_offsets.begin());
  result.faces.resize(result.face_offsets.back());
  std::vector<uint32_t> next = result.face_offsets;
  for (uint32_t f = 0; f < face_count; ++f)
    if (shape_of(f) != kDropped) result.faces[next[shape_of(f)]++] = f;
  name_input_faces(result, input.input_face);
  return result;
}

FitResult padded(FitResult result, const FitInput& input) {
  const double least = Tolerances::of_diagonal(input.to_input.scale).thickness;
  for (Shape& shape : result.shapes) shape = padded(shape, input.options.pad, least);
  return result;
}

FinalShaper::FinalShaper(const FitInput& input) : input_(input), tools_(std::make_unique<Tools>(input)) {
  for (const SimplePart& part : input.simple) part_of_face_.emplace_back(part.faces[0], &part);
  std::sort(part_of_face_.begin(), part_of_face_.end());
}

std::vector<Vec3> FinalShaper::points(std::span<const uint32_t> vertices) const {
  std::vector<Vec3> points;
  points.reserve(vertices.size());
  for (const uint32_t v : vertices) points.push_back(input_.exact_vertices[v]);
  return points;
}

// The simple part that consists of these faces, if any.
const SimplePart* FinalShaper::simple_part(std::span<const uint32_t> faces) const {
  const uint32_t first = *std::min_element(faces.begin(), faces.end());
  const auto at = std::lower_bound(part_of_face_.begin(), part_of_face_.end(), first,
                                   [](const auto& entry, uint32_t face) { return entry.first < face; });
  if (at == part_of_face_.end() || at->first != first || at->second->faces.size() != faces.size()) return nullptr;
  std::vector<uint32_t> ascending(faces.begin(), faces.end());
  std::sort(ascending.begin(), ascending.end());
  return ascending == at->second->faces ? at->second : nullptr;
}

Shape FinalShaper::around(std::span<const uint32_t> faces, std::span<const uint32_t> vertices, const Moments& medial,
                          Run& run) const {
  const MeshView mesh = input_.exact();
  run.poll();
  if (const SimplePart* part = simple_part(faces)) return in_input(input_, part->final_shape(), points(vertices));
  Fitter fitter(tools_->final);
  const Fitted fitted = fit_cluster(mesh, sum_of_operators(mesh, faces), medial, faces, vertices,
                                    input_.options.tangent, tools_->thorough, tools_->plan.polish_rounds, fitter, run);
  run.poll();
  const std::optional<Shape> hull = better_hull(input_, *tools_, fitted, vertices);
  return in_input(input_, hull ? *hull : to_shape(fitted), points(vertices));
}

}  // namespace hitbox::internal::fit
