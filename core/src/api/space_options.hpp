// What is wrong with the options of a navigable space, if anything.
#pragma once

#include <cmath>
#include <optional>

#include "hitbox/result.hpp"
#include "hitbox/space.hpp"

namespace hitbox::api {

inline std::optional<Error> wrong_options(const SpaceOptions& options) {
  const auto is_length = [](double x) { return x > 0 && std::isfinite(x); };
  if (!is_length(options.radius)) return Error{"radius: a finite length above 0 is needed."};
  if (!is_length(options.tolerance)) return Error{"tolerance: a finite length above 0 is needed."};
  if (options.floor_tolerance != 0 && !is_length(options.floor_tolerance))
    return Error{"floor_tolerance: a finite length above 0 is needed, or 0 for the tolerance."};
  if (options.floor_tolerance > options.tolerance) return Error{"floor_tolerance: at most the tolerance is allowed."};
  if (std::abs(norm(options.up) - 1) > 1e-9) return Error{"up: a unit vector is needed."};
  for (const HalfSpace& half : options.half_spaces)
    if (std::abs(norm(half.normal) - 1) > 1e-9) return Error{"half_spaces: each normal must be a unit vector."};
  return std::nullopt;
}

}  // namespace hitbox::api
