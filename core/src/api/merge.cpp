#include "merge/merge.hpp"

#include "api/door.hpp"

namespace hitbox {

Result<MergeResult> merge(std::span<const Shape> shapes, const MergeOptions& options, Run& run) {
  api::Checks checks("merge");
  checks.shapes(shapes)
      .positive("tolerance", options.tolerance)
      .not_negative("distance", options.distance.value_or(0))
      .whole("count", options.count, 0, api::kMostShapes)
      .require(options.max_vertices == 0 || options.max_vertices >= 8, "max_vertices: must be 0 or at least 8.");
  if (options.space) checks.spheres("space", options.space->spheres);
  if (checks.error()) return *checks.error();
  return internal::merge::merge_shapes(shapes, options, run);
}

}  // namespace hitbox
