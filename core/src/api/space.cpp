#include "hitbox/space.hpp"

#include <cmath>

#include "api/space_options.hpp"
#include "hulls/open_space.hpp"
#include "hulls/overlap.hpp"

namespace hitbox {

namespace {

bool is_unit(const Vec3& v) { return std::abs(norm(v) - 1) < 1e-9; }
bool is_sound(const HalfSpace& half) { return is_unit(half.normal) && std::isfinite(half.offset); }

}  // namespace

void api::check(Checks& checks, const SpaceOptions& options, double diagonal) {
  checks.positive("radius", options.radius)
      .require(options.radius <= diagonal, "radius: must be at most the mesh's diagonal.")
      .positive("tolerance", options.tolerance)
      .not_negative("floor_tolerance", options.floor_tolerance)
      .require(options.floor_tolerance <= options.tolerance, "floor_tolerance: must be at most the tolerance.")
      .require(is_unit(options.up), "up: must be a unit vector.")
      .points("clear_points", options.clear_points)
      .require(std::ranges::all_of(options.half_spaces, is_sound),
               "half_spaces: each needs a normal that is a unit vector, and a finite offset.");
  if (!options.shapes.empty()) checks.shapes(options.shapes);
}

Result<NavigableSpace> navigable_space(const MeshView& mesh, const SpaceOptions& options, Run& run) {
  const auto bounds = internal::mesh::check_mesh(mesh, "mesh");
  if (!bounds) return bounds.error();
  api::Checks checks("navigable_space");
  api::check(checks, options, bounds->diagonal());
  if (checks.error()) return *checks.error();
  auto space = internal::hulls::OpenSpace::around(mesh, options, run);
  if (!space) return space.error();
  return internal::hulls::OpenSpace::described(std::move(space).value());
}

Result<Overlap> overlap(const NavigableSpace& space, std::span<const Shape> shapes, Run& run) {
  api::Checks checks("overlap");
  checks.shapes(shapes).spheres("spheres", space.spheres);
  if (checks.error()) return *checks.error();
  return internal::hulls::measured_overlap(space, shapes, run);
}

}  // namespace hitbox
