#include "carve/carve.hpp"

#include "api/space_options.hpp"

namespace hitbox {

Result<CarveResult> carve(const MeshView& mesh, const CarveOptions& options, Run& run) {
  const auto bounds = internal::mesh::check_mesh(mesh, "mesh");
  if (!bounds) return bounds.error();
  api::Checks checks("carve");
  api::check(checks, options.space, bounds->diagonal());
  checks.whole("count", options.count, 0, api::kMostShapes)
      .whole("concave_edges", options.concave_edges, 0, 1000)
      .not_negative("effort", options.effort)
      .require(options.max_vertices == 0 || options.max_vertices >= 8, "max_vertices: must be 0 or at least 8.");
  if (checks.error()) return *checks.error();
  return internal::carve::carve(mesh, options, run);
}

}  // namespace hitbox
