#include "hitbox/fit_tree.hpp"

#include "api/fit_job.hpp"
#include "fit/levels.hpp"

namespace hitbox {

struct FitTree::State {
  State(api::FitJob of, uint32_t up_to, Run& run) : job(std::move(of)), finest(up_to), levels(*job.input, up_to, run) {}

  api::FitJob job;
  uint32_t finest;
  internal::fit::Levels levels;
};

FitTree::FitTree(std::unique_ptr<const State> state) : state_(std::move(state)) {}
FitTree::FitTree(FitTree&&) noexcept = default;
FitTree& FitTree::operator=(FitTree&&) noexcept = default;
FitTree::~FitTree() = default;

uint32_t FitTree::finest() const { return state_->finest; }

Result<FitResult> FitTree::at(uint32_t count, Run& run) const {
  if (const auto error = state_->job.wrong_count("count", count)) return *error;
  return state_->job.result(state_->levels.at(count, run));
}

Result<FitResult> FitTree::within(double tolerance, Run& run) const {
  if (const auto error = api::Checks("fit").positive("tolerance", tolerance).error()) return *error;
  return state_->job.result(state_->levels.within(tolerance / state_->job.diagonal, run));
}

Result<FitTree> fit_tree(const MeshView& mesh, uint32_t finest, const FitOptions& options, Run& run) {
  const auto error =
      api::Checks("fit_tree")
          .whole("finest", finest, 1, api::kMostShapes)
          .require(!options.count, "takes no count. Give the largest count as finest, and ask at(count).")
          .require(!options.tolerance, "takes no tolerance. Ask within(tolerance).")
          .error();
  if (error) return *error;
  auto job = api::fit_job("fit_tree", mesh, options, finest, run);
  if (!job) return job.error();
  return FitTree(std::make_unique<const FitTree::State>(std::move(*job), finest, run));
}

}  // namespace hitbox
