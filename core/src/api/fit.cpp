#include "hitbox/fit.hpp"

#include <cmath>

#include "api/door.hpp"
#include "fit/fit.hpp"

namespace hitbox {

namespace {

std::optional<Error> wrong_options(const FitOptions& options, size_t faces) {
  if (options.count == 0) return Error{"count: at least 1 is needed."};
  if (!options.group_of_face.empty() && options.group_of_face.size() != faces)
    return Error{"group_of_face: one number per face is needed, or none."};
  if (!options.importance.empty() && options.importance.size() != faces)
    return Error{"importance: one factor per face is needed, or none."};
  for (const double factor : options.importance)
    if (!(factor > 0) || !std::isfinite(factor)) return Error{"importance: each factor must be above 0 and finite."};
  if (options.hull_vertices > 0 && options.hull_vertices < 4) return Error{"hull_vertices: a hull needs at least 4."};
  return std::nullopt;
}

}  // namespace

Result<FitResult> fit(const MeshView& mesh, const FitOptions& options, Run& run) {
  const auto cleaned = api::checked_and_welded(mesh, run);
  if (!cleaned) return cleaned.error();
  if (const auto error = wrong_options(options, mesh.face_count())) return *error;
  const MeshView welded{cleaned.value().vertices, cleaned.value().indices, mesh.offsets};
  return internal::fit::fit(internal::fit::FitInput(welded, welded, options, run), options.count, run);
}

}  // namespace hitbox
