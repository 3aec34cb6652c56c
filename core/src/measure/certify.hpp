// Bounds of the distances between shapes and a mesh that hold for every point, not only for samples.
//
// Branch and bound. A distance to a set changes by no more than one steps, so over a patch within r
// of its centre it is at most that of the centre + r; and it is at most the distance to the one
// triangle nearest to the centre, which is convex and so largest at a point of the patch's hull
// (patches.hpp). Rounds cut what may still hold the maximum in four; `low` is always the distance of
// a point that is really there.
//
// Always holds: low <= truth <= high; both are widened by what rounding may do (1e-9 of the size, which
// reaches to the origin: give mesh and shapes near it). So widened, high - low <= resolution for each
// maximum, 4 x resolution for the mean, or `complete` is false. Same numbers for any thread count.
// Cost: 2-4 us a patch; at most `budget` patches beyond the shapes' sides, twice that of the mesh's faces.
#pragma once

#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"
#include "measure/shape_union.hpp"

namespace hitbox::internal::measure {

struct Interval {
  double low = 0, high = 0;
};

struct CertifyOptions {
  double offset;             // of the diagonal: moved out so far, a point in another shape cannot be touched
  double resolution = 1e-3;  // of the diagonal
  size_t budget = 500'000;   // patches
};

// The mean's bounds: to halve their gap takes four times the patches, over all of the surface.
constexpr double kMeanResolution = 4;  // x resolution

struct Certificate {      // all lengths as fractions of the diagonal of the mesh
  Interval all_surfaces;  // largest distance from a shape's surface to the mesh
  Interval mean_all;      // its mean by area, over the surfaces of all shapes
  // The largest over points that could be touched: those which, moved out by `offset`,
  // are in no other shape, and which are not inside the mesh where that is a closed solid. 0: none.
  Interval outer_surface;
  Interval sticks_out;  // largest distance by which the mesh leaves the union of the shapes
  bool complete = true;
  size_t patches = 0;  // looked at
};

// Coordinates within those of check_mesh.
Certificate certify(const MeshView& mesh, const ShapeUnion& shapes, const CertifyOptions& options, Run& run);

}  // namespace hitbox::internal::measure
