// Everything a fit measures shapes with, and how much it may spend.
#pragma once

#include <algorithm>
#include <optional>

#include "fit/input.hpp"
#include "fit/shaping/shaper.hpp"

namespace hitbox::internal::fit {

// What each preset spends. Leaves, groups and refinement are what quality comes from; polishing lowers
// the distance by another twentieth.
struct Plan {
  size_t leaves_a_shape, least_leaves;
  bool groups;
  size_t tries;  // of refinement, for each shape
  size_t least_tries;
  int polish_rounds;
  int trim_rounds;
  double density;  // of the meter's lattice

  static Plan of(Effort effort);
  size_t leaf_count(uint32_t shapes) const { return std::max(least_leaves, leaves_a_shape * shapes); }
  // A few shapes are polished longer: that takes little time, and each of them is much of the whole.
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
  std::optional<DeviationMeter> meter;  // none: costs are volumes
  Shaper quick, thorough;

  explicit Tools(const FitInput& input);  // which must outlive it
  Tools(const Tools&) = delete;
};

}  // namespace hitbox::internal::fit
