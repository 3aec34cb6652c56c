// Spheres that follow the volume: for motion planners, which ask nothing but spheres.
//
// Points on the surface are shared out among balls (sphere_sharing.hpp), each the one around its points that
// sticks out least (ball_fitter.hpp). One ball is split into two, always the one that sticks out most, until
// there are enough; then points move to the ball that has to stick out least for them, balls are
// fitted again, and so on; and where a merge here costs less than a split there gains, both are done.
// Balls that enter space to be kept clear make way for smaller ones (sphere_clear.hpp).
//
// conservative: every point of every face lies in the union of the spheres, proved on pieces
// (sphere_cover.hpp). balanced: about 96 % of the surface does, by sampling, and no point of any face is
// further out than kLeftOut, proved.
// Always holds: at most `count` spheres, at least one; same spheres for any number of threads, and any order
// of faces and vertices.
// Cost of 64 spheres, in CPU seconds: 0.7 for a torus of 5k faces, 2.3 for one of 100k; 0.5 for robot links
// (benchmarks/spheres.py).
#pragma once

#include "base/rooms.hpp"
#include "hitbox/fit.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"

namespace hitbox::internal::spheres {

enum class SphereMode : uint8_t { conservative, balanced };

constexpr uint32_t kMostSpheres = 1024;  // more are asked for in vain: planners take some hundreds

constexpr double kLeftOut = 0.02;  // of the diagonal: how far out balanced leaves anything

struct SphereMeasure {           // sampled; lengths are fractions of the diagonal
  double coverage = 0;           // share of the surface inside the spheres
  double left_out = 0;           // largest distance of the surface from them
  double mean = 0, largest = 0;  // how far their outer surface, what can be touched, is from the mesh
  double volume_ratio = 0;       // of their union to the solid; 0: the mesh is no closed solid
};

struct SphereFit {
  FitResult fitted;  // a face is listed with every sphere that holds a piece of it
  SphereMeasure measure;
};

// Of the options `group_of_face`, `keep_clear` and `pad` count; nothing else here has a meaning for spheres alone.
// There is one sphere a group at least, and more than `count` where space is to be kept clear. How good they
// are is said of the spheres before padding.
SphereFit fit_spheres(const MeshView& mesh, uint32_t count, SphereMode mode, FitOptions options, Run& run);

}  // namespace hitbox::internal::spheres
