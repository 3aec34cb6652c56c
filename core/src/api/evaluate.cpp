#include "hitbox/evaluate.hpp"

#include "api/door.hpp"
#include "measure/evaluation.hpp"

namespace hitbox {

constexpr uint32_t kMostSamples = 100'000'000;

Result<Evaluation> evaluate(const MeshView& mesh, std::span<const Shape> shapes, const EvaluateOptions& options,
                            Run& run) {
  if (const auto bounds = internal::mesh::check_mesh(mesh, "mesh"); !bounds) return bounds.error();
  const auto error = api::Checks("evaluate").shapes(shapes).whole("samples", options.samples, 1, kMostSamples).error();
  if (error) return *error;
  return internal::measure::evaluated(mesh, shapes, options, run);
}

}  // namespace hitbox
