#include "fit/tools.hpp"

#include <algorithm>

#include "base/tolerances.hpp"

namespace hitbox::internal::fit {

namespace {

constexpr double kClearance = 0.01;  // fraction of the diagonal; results hardly change between 0.003 and 0.03

CostModel cost_model(const FitOptions& options) {
  const bool grown = options.cost == Cost::grown || options.cost == Cost::deviation;
  return {options.kinds, options.weights, grown ? kClearance : 0, Tolerances::of_diagonal(1).thickness,
          options.cost == Cost::joint ? options.overlap_samples : 0};
}

// The kinds that merging compares. The paper's cost tries all kinds. Here only the final clusters use the slanted
// kinds, which take a third of the time and make the clusters neither better nor worse.
CostModel merging_model(const FitOptions& options) {
  CostModel model = cost_model(options);
  CostModel upright = model;
  upright.kinds[static_cast<size_t>(Kind::frustum)] = false;
  upright.kinds[static_cast<size_t>(Kind::prism)] = false;
  const bool any = std::find(upright.kinds.begin(), upright.kinds.end(), true) != upright.kinds.end();
  const bool grown = options.cost == Cost::grown || options.cost == Cost::deviation;
  return grown && any ? upright : model;
}

std::optional<DeviationMeter> meter_of(const FitInput& input) {
  if (!input.field) return std::nullopt;
  return DeviationMeter(*input.field, Plan::of(input.options.preset).density);
}

}  // namespace

Plan Plan::of(Preset preset) {
  switch (preset) {
    case Preset::fast: return {4, 1024, false, 0, 0, 0, 1, 2.5};
    case Preset::fine: return {8, 4096, true, 60, 20000, 8, 4, 4};
    default: return {4, 1024, true, 3, 3000, 3, 2, 2.5};
  }
}

Tools::Tools(const FitInput& input)
    : plan(Plan::of(input.options.preset)),
      merging(merging_model(input.options)),
      final(cost_model(input.options)),
      meter(meter_of(input)),
      quick(merging, meter ? &*meter : nullptr, input.clear),
      thorough(final, meter ? &*meter : nullptr, input.clear) {}

}  // namespace hitbox::internal::fit
