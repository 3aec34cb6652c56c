#include "hitbox/fit_spheres.hpp"

#include "api/door.hpp"
#include "base/format.hpp"
#include "spheres/fewest.hpp"

namespace hitbox {

using internal::spheres::FewestSpheres;

namespace {

std::optional<Error> wrong_options(const SpheresOptions& options, const api::Groups& groups, size_t faces,
                                   double diagonal) {
  api::Checks checks("fit_spheres");
  if (options.count) checks.whole("count", *options.count, 1, kMostSpheres);
  checks.one_per_face("group_of_face", options.group_of_face.size(), faces)
      .spheres("keep_clear", options.keep_clear)
      .spaces("spaces", options.spaces)
      .pad(options.pad, diagonal);
  if (checks.error()) return checks.error();
  const uint32_t most = options.count.value_or(kMostSpheres);
  if (groups.count <= most) return std::nullopt;
  return Error{
      internal::base::format("fit_spheres: %u spheres cannot keep %u groups of faces separate.", most, groups.count)};
}

SpheresResult result_of(FewestSpheres found) {
  FitResult& fitted = found.fit.fitted;
  SpheresResult result{{}, std::move(fitted.faces), std::move(fitted.face_offsets), found.count, found.fit.measure};
  for (const Shape& shape : fitted.shapes) result.spheres.push_back(std::get<Sphere>(shape));
  return result;
}

}  // namespace

Result<SpheresResult> fit_spheres(const MeshView& mesh, const SpheresOptions& options, Run& run) {
  const auto cleaned = api::checked_and_welded(mesh, run);
  if (!cleaned) return cleaned.error();
  const MeshView welded{cleaned->vertices, cleaned->indices, mesh.offsets};
  api::Groups groups = api::Groups::of(options.group_of_face);
  const double diagonal = referenced_bounds(welded).diagonal();
  if (const auto error = wrong_options(options, groups, mesh.face_count(), diagonal)) return *error;
  FitOptions known;
  known.group_of_face = std::move(groups.of_face);
  known.keep_clear = options.keep_clear;
  known.spaces = options.spaces;
  known.pad = options.pad;
  if (!options.count)
    return result_of(internal::spheres::fit_fewest_spheres(welded, groups.count, options.mode, known, run));
  const uint32_t count = *options.count;
  return result_of({count, internal::spheres::fit_spheres(welded, count, options.mode, std::move(known), run)});
}

}  // namespace hitbox
