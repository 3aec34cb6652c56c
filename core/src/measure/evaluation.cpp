#include "measure/evaluation.hpp"

#include <algorithm>
#include <numeric>

#include "base/format.hpp"
#include "measure/certify.hpp"
#include "measure/collider_measure.hpp"
#include "measure/distance.hpp"
#include "measure/inside.hpp"
#include "mesh/triangulate.hpp"

namespace hitbox::internal::measure {

namespace {

// All but the last are fractions of the diagonal.
constexpr double kOutside = 1e-5;         // a point farther outside is not covered
constexpr double kEnclosed = 1e-9;        // the tolerance that fit promises; less is rounding
constexpr double kOffset = 1e-3;          // the distance outside from which a point must be visible
constexpr double kThin = 1e-3;            // thinner shapes are listed
constexpr double kDegenerate = 2.001e-5;  // at most as thick as the thinnest shapes of fit
constexpr double kFarthest = 1e30;        // longest sides of the mesh: the limit for a collider's reach

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Evaluation::Distance distance_over(const std::vector<double>& distances, const std::vector<uint8_t>& selected) {
  std::vector<double> those;
  for (size_t k = 0; k < distances.size(); ++k)
    if (selected[k]) those.push_back(distances[k]);
  if (those.empty()) return {};
  return {mean_of(those), *std::ranges::max_element(those), static_cast<uint32_t>(those.size())};
}

// One mesh and one collider near the origin, in lengths of the mesh's longest side.
class Evaluator {
 public:
  Evaluator(const MeshView& mesh, std::span<const Shape> shapes, const EvaluateOptions& options, Run& run)
      : options_(options), run_(run), source_(mesh) {
    const Bounds box = referenced_bounds(mesh);
    const Vec3 origin = box.low / 2 + box.high / 2;
    unit_ = max_component(box.size());
    diagonal_ = box.diagonal() / unit_;
    for (const Vec3& p : mesh.vertices) vertices_.push_back((p - origin) * (1 / unit_));
    for (const Shape& shape : shapes)
      shapes_.push_back(transformed(transformed(shape, {{}, -origin, 1}), {{}, {}, 1 / unit_}));
  }

  std::optional<Error> too_far() const {
    for (size_t k = 0; k < shapes_.size(); ++k) {
      const Bounds box = bounds(shapes_[k]);
      if (std::max(max_component(abs(box.low)), max_component(abs(box.high))) <= kFarthest) continue;
      return Error{format(
          "evaluate: shape %zu reaches more than %g times the mesh's size away from it. Use the shapes of this mesh.",
          k, kFarthest)};
    }
    return std::nullopt;
  }

  Evaluation evaluation() {
    const ShapeUnion collider(shapes_, run_);
    const double sampled = options_.certify ? 0.2 : 1;  // fraction of the time
    Evaluation found;
    found.diagonal = diagonal_ * unit_;
    for (const Shape& shape : shapes_) found.nbytes += nbytes(shape);
    set_distances(collider, found, 0, 0.6 * sampled);
    set_coverage(collider, found, 0.6 * sampled, 0.8 * sampled);
    set_volumes(collider, found, 0.8 * sampled, sampled);
    set_facts(collider, found);
    if (options_.certify) set_bounds(collider, found, sampled);
    return found;
  }

 private:
  MeshView mesh() const { return {vertices_, source_.indices, source_.offsets}; }

  void set_distances(const ShapeUnion& collider, Evaluation& found, double from, double to) {
    const Run::Stretch stretch(run_, from, to);
    run_.enter("samples", 0, 0.2);
    const ColliderSamples samples = sample_surfaces(collider, options_.samples, options_.seed, run_);
    std::vector<uint8_t> selected(samples.points.size(), 1);
    const std::vector<uint8_t> hidden = hidden_samples(collider, samples, kOffset * diagonal_, run_);
    std::vector<double> distances = [&] {
      const Run::Stretch middle(run_, 0.2, 0.7);
      return distances_to_mesh(samples.points, mesh(), run_).distances;
    }();
    for (double& each : distances) each /= diagonal_;
    found.all_surfaces = distance_over(distances, selected);
    for (size_t k = 0; k < hidden.size(); ++k) selected[k] = !hidden[k];
    found.union_boundary = distance_over(distances, selected);
    const Run::Stretch last(run_, 0.7, 1);
    if (is_closed_solid(mesh(), run_)) {
      const std::vector<uint8_t> inside = points_inside(samples.points, mesh(), run_);
      for (size_t k = 0; k < inside.size(); ++k) selected[k] = selected[k] && !inside[k];
    }
    found.outer_surface = distance_over(distances, selected);
  }

  void set_coverage(const ShapeUnion& collider, Evaluation& found, double from, double to) {
    run_.enter("coverage", from, to);
    const SurfaceSamples on_mesh =
        sample_surface(vertices_, mesh::triangles_of(source_, run_), options_.samples, options_.seed);
    std::vector<double> outside = distances_outside(collider, on_mesh.points, run_);
    size_t uncovered = 0;
    for (double& each : outside) {
      each = each / diagonal_ <= kEnclosed ? 0 : each / diagonal_;
      uncovered += each > kOutside;
    }
    found.coverage = {static_cast<double>(uncovered) / static_cast<double>(outside.size()),
                      *std::ranges::max_element(outside), mean_of(outside)};
  }

  void set_volumes(const ShapeUnion& collider, Evaluation& found, double from, double to) {
    run_.enter("volume", from, to);
    const UnionVolume volumes = union_volume(collider, options_.samples, options_.seed, run_);
    const double cube = unit_ * unit_ * unit_;
    found.volume = volumes.total * cube;
    found.union_volume = {volumes.value * cube, volumes.error * cube};
    found.overlap = volumes.total > 0 ? std::max(0.0, 1 - volumes.value / volumes.total) : 0;
  }

  void set_facts(const ShapeUnion& collider, Evaluation& found) const {
    for (uint32_t k = 0; k < collider.facts().size(); ++k) {
      const double extent = collider.facts()[k].smallest_extent / diagonal_;
      if (extent < kThin) found.thin.push_back(k);
      if (extent <= kDegenerate) found.degenerate.push_back(k);
    }
  }

  void set_bounds(const ShapeUnion& collider, Evaluation& found, double from) {
    const Run::Stretch stretch(run_, from, 1);
    const Certificate proved = certify(mesh(), collider, {kOffset}, run_);
    const auto range = [](const Interval& interval) { return Evaluation::Range{interval.low, interval.high}; };
    found.bounds = {range(proved.all_surfaces), range(proved.outer_surface), range(proved.sticks_out),
                    range(proved.mean_all), proved.complete};
  }

  const EvaluateOptions& options_;
  Run& run_;
  MeshView source_;
  double unit_ = 1, diagonal_ = 1;
  std::vector<Vec3> vertices_;
  std::vector<Shape> shapes_;
};

}  // namespace

Result<Evaluation> evaluated(const MeshView& mesh, std::span<const Shape> shapes, const EvaluateOptions& options,
                             Run& run) {
  Evaluator evaluator(mesh, shapes, options, run);
  if (const auto error = evaluator.too_far()) return *error;
  return evaluator.evaluation();
}

}  // namespace hitbox::internal::measure
