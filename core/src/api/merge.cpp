#include "merge/merge.hpp"

#include <cmath>

namespace hitbox {

namespace {

std::optional<Error> wrong_options(std::span<const Shape> shapes, const MergeOptions& options) {
  if (shapes.empty()) return Error{"merge: at least one shape is needed."};
  if (!(options.tolerance > 0) || !std::isfinite(options.tolerance))
    return Error{"tolerance: a finite length above 0 is needed."};
  if (options.distance && !(*options.distance >= 0)) return Error{"distance: a length of at least 0 is needed."};
  if (options.max_vertices != 0 && options.max_vertices < 8) return Error{"max_vertices: at least 8 are needed, or 0."};
  return std::nullopt;
}

}  // namespace

Result<MergeResult> merge(std::span<const Shape> shapes, const MergeOptions& options, Run& run) {
  if (const auto error = wrong_options(shapes, options)) return *error;
  return internal::merge::merge_shapes(shapes, options, run);
}

}  // namespace hitbox
