// What fit and fit_tree have in common: a checked mesh and options in the form of the room fit, and its results in mesh
// units.
#pragma once

#include <memory>

#include "api/door.hpp"
#include "fit/tolerance.hpp"

namespace hitbox::api {

struct FitJob {
  std::unique_ptr<const internal::fit::FitInput> input;
  double diagonal = 0, drop_thin = 0;
  uint32_t group_count = 1;

  // An Error if this mesh cannot have that many shapes. `name` is the name of the option.
  std::optional<Error> wrong_count(const char* name, uint32_t count) const;

  // An Error if all shapes were dropped.
  Result<FitResult> result(FitResult fitted) const;
  Result<FitResult> result(internal::fit::WithinResult found) const;
};

// `expected` is about the number of shapes, or 0.
Result<FitJob> fit_job(const char* verb, const MeshView& mesh, FitOptions options, uint32_t expected, Run& run);

}  // namespace hitbox::api
