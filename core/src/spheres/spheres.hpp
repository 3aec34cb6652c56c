// Spheres that follow the volume, for motion planners, which test only spheres.
//
// Points on the surface are assigned to balls (sphere_sharing.hpp), each the ball around its points that sticks out
// least (ball_fitter.hpp). The ball that sticks out most is split in two until there are enough. Then points move to
// the ball that has to stick out least for them, balls are fitted again, and so on. If a merge costs less than another
// split gains, both are made. Balls that enter space to be kept clear are replaced by smaller ones (sphere_clear.hpp).
//
// conservative: every point of every face is proved to lie in the union of the spheres (sphere_cover.hpp). balanced:
// about 96 % of the surface does, by sampling, and no point of any face is proved to be further out than kLeftOut.
// Always holds: at most `count` spheres, at least one. The spheres are the same for any number of threads, and for any
// order of faces and vertices.
// Cost of 64 spheres, in CPU seconds: 0.7 for a torus of 5k faces, 2.3 for one of 100k; 0.5 for robot links
// (benchmarks/spheres.py).
#pragma once

#include "base/rooms.hpp"
#include "hitbox/fit.hpp"
#include "hitbox/fit_spheres.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"

namespace hitbox::internal::spheres {

constexpr double kLeftOut = 0.02;  // fraction of the diagonal: the limit of balanced for uncovered points

struct SphereFit {
  FitResult fitted;  // a face is listed with every sphere that contains a part of it
  SphereMeasure measure;
};

// Only the options `group_of_face`, `keep_clear` and `pad` matter for spheres alone. There is at least one sphere per
// group, and there may be more than `count` if space is to be kept clear. A count above kMostSpheres has no effect.
SphereFit fit_spheres(const MeshView& mesh, uint32_t count, SphereMode mode, FitOptions options, Run& run);

}  // namespace hitbox::internal::spheres
