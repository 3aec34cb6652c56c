#include "hitbox/mass.hpp"

#include "api/door.hpp"
#include "measure/mesh_moments.hpp"
#include "measure/union_moments.hpp"

namespace hitbox {

using internal::measure::Moments;
using internal::measure::VolumeFault;

namespace {

MassProperties weighed(const Moments& moments, double density) {
  const auto& about = moments.about;
  const double xx = density * about.xx, yy = density * about.yy, zz = density * about.zz;
  // 0.0 -: one zero, not two
  return {moments.volume,
          density * moments.volume,
          moments.center,
          {yy + zz, xx + zz, xx + yy, 0.0 - density * about.xy, 0.0 - density * about.xz, 0.0 - density * about.yz}};
}

}  // namespace

Result<MassProperties> mass_properties(const MeshView& mesh, double density, Run& run) {
  if (const auto bounds = internal::mesh::check_mesh(mesh, "mesh"); !bounds) return bounds.error();
  if (const auto error = api::Checks("mass_properties").positive("density", density).error()) return *error;
  switch (internal::measure::volume_fault(mesh, run)) {
    case VolumeFault::open: return Error{"mass_properties: the mesh is not closed. Give its shapes instead."};
    case VolumeFault::overlapping:
      return Error{"mass_properties: parts of the mesh may overlap. Give its shapes instead."};
    case VolumeFault::none: break;
  }
  return weighed(internal::measure::mesh_moments(mesh, run), density);
}

Result<MassProperties> mass_properties(std::span<const Shape> shapes, double density, Run& run) {
  const auto error = api::Checks("mass_properties").shapes(shapes).positive("density", density).error();
  if (error) return *error;
  const auto moments = internal::measure::union_moments(shapes, run);
  if (!moments) {
    return Error{"mass_properties: the volume of the shapes is too small or too large for a double. Scale them."};
  }
  return weighed(*moments, density);
}

}  // namespace hitbox
