#include "hitbox/space.hpp"

#include "api/space_options.hpp"
#include "hulls/open_space.hpp"
#include "hulls/overlap.hpp"
#include "mesh/clean.hpp"

namespace hitbox {

Result<NavigableSpace> navigable_space(const MeshView& mesh, const SpaceOptions& options, Run& run) {
  if (const auto bounds = internal::mesh::check_mesh(mesh, "mesh"); !bounds) return bounds.error();
  if (const auto error = api::wrong_options(options)) return *error;
  auto space = internal::hulls::OpenSpace::around(mesh, options, run);
  if (!space) return space.error();
  return internal::hulls::OpenSpace::described(std::move(space.value()));
}

Overlap overlap(const NavigableSpace& space, std::span<const Shape> shapes, Run& run) {
  return internal::hulls::overlap(space, shapes, run);
}

}  // namespace hitbox
