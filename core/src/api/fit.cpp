#include "hitbox/fit.hpp"

#include <algorithm>

#include "api/fit_job.hpp"

namespace hitbox {

namespace {

constexpr double kDefaultTolerance = 0.03;  // of the diagonal, without a count and a tolerance
constexpr uint32_t kMostByDefault = 256;    // shapes, then

}  // namespace

Result<FitResult> fit(const MeshView& mesh, const FitOptions& options, Run& run) {
  const auto job = api::fit_job("fit", mesh, options, options.count.value_or(0), run);
  if (!job) return job.error();
  if (options.count && !options.tolerance) return job->result(internal::fit::fit(*job->input, *options.count, run));
  const double share = options.tolerance ? *options.tolerance / job->diagonal : kDefaultTolerance;
  const uint32_t most = options.count.value_or(options.tolerance ? api::kMostShapes : kMostByDefault);
  return job->result(fit_within(*job->input, share, std::max(most, job->group_count), run));
}

}  // namespace hitbox
