// Chooses the number of spheres: the fewest that stay close to the mesh, by bisection of a list of counts.
#pragma once

#include "spheres/spheres.hpp"

namespace hitbox::internal::spheres {

constexpr double kCloseEnough = 0.015;  // fraction of the diagonal: how far they may stick out on average

struct FewestSpheres {
  uint32_t count = 0;  // the chosen one
  SphereFit fit;
};

// At least `least` spheres, and at most 64 or `least`. More spheres are taken to be closer.
FewestSpheres fit_fewest_spheres(const MeshView& mesh, uint32_t least, SphereMode mode, const FitOptions& options,
                                 Run& run);

}  // namespace hitbox::internal::spheres
