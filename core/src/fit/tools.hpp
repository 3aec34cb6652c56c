// The cost models and meters of a fit, and its effort.
#pragma once

#include <algorithm>
#include <optional>

#include "fit/input.hpp"
#include "fit/shaping/shaper.hpp"

namespace hitbox::internal::fit {

// The effort of each preset. Quality comes from leaves, groups and refinement; polishing lowers the distance by another
// twentieth.
struct Plan {
  size_t leaves_a_shape, least_leaves;
  bool groups;
  size_t tries;  // budget of refinement, per shape
  size_t least_tries;
  int polish_rounds;
  int trim_rounds;
  double density;  // density of the meter's lattice

  static Plan of(Preset preset);
  size_t leaf_count(uint32_t shapes) const { return std::max(least_leaves, leaves_a_shape * shapes); }
  // With few shapes polishing is longer: it takes little time, and each shape matters more.
  int polish_rounds_for(size_t shapes) const {
    constexpr size_t kFew = 64;
    constexpr int kLong = 8;
    return polish_rounds > 0 && shapes <= kFew ? std::max(polish_rounds, kLong) : polish_rounds;
  }
  size_t tries_for(size_t shapes) const { return tries == 0 ? 0 : std::max(least_tries, tries * shapes); }
};

struct Tools {
  Plan plan;
  CostModel merging, final;
  std::optional<DeviationMeter> meter;  // empty: costs are volumes
  Shaper quick, thorough;

  explicit Tools(const FitInput& input);  // `input` must outlive it
  Tools(const Tools&) = delete;
};

}  // namespace hitbox::internal::fit
