#include "carve/carve.hpp"

#include "api/space_options.hpp"
#include "mesh/clean.hpp"

namespace hitbox {

namespace {

std::optional<Error> wrong_options(const CarveOptions& options) {
  if (const auto error = api::wrong_options(options.space)) return error;
  if (options.max_vertices != 0 && options.max_vertices < 8) return Error{"max_vertices: at least 8 are needed, or 0."};
  if (!(options.effort >= 0) || !std::isfinite(options.effort))
    return Error{"effort: a finite number of at least 0 is needed."};
  return std::nullopt;
}

}  // namespace

Result<CarveResult> carve(const MeshView& mesh, const CarveOptions& options, Run& run) {
  if (const auto bounds = internal::mesh::check_mesh(mesh, "mesh"); !bounds) return bounds.error();
  if (const auto error = wrong_options(options)) return *error;
  return internal::carve::carve(mesh, options, run);
}

}  // namespace hitbox
