// Bounds of the distances between shapes and a mesh. They hold for every point, not only for samples.
//
// Branch and bound. The distance to a set is 1-Lipschitz, so over a patch within r of its centre it is at most that of
// the centre + r. It is also at most the distance to the triangle nearest to the centre, which is convex and so largest
// at a point of the patch's hull (patches.hpp). Each round divides the patches that may contain the maximum into four.
// `low` is always the distance of an existing point.
//
// Always holds: low <= truth <= high. Both are widened by the possible rounding (1e-9 of the size, measured from the
// origin: give mesh and shapes near it). Including that, high - low <= resolution for each maximum and 4 x resolution
// for the mean, or `complete` is false. The numbers are the same for any number of threads.
// Cost: 2-4 us per patch, for at most `budget` patches beyond the shapes' sides, and twice that for the mesh's faces.
#pragma once

#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"
#include "measure/shape_union.hpp"

namespace hitbox::internal::measure {

struct Interval {
  double low = 0, high = 0;
};

struct CertifyOptions {
  // fraction of the diagonal: a point that lies in another shape after moving out by this cannot be touched
  double offset;
  double resolution = 1e-3;  // fraction of the diagonal
  size_t budget = 500'000;   // patches
};

// For the bounds of the mean: halving their gap takes four times as many patches, over the whole surface.
constexpr double kMeanResolution = 4;  // x resolution

struct Certificate {      // all lengths as fractions of the diagonal of the mesh
  Interval all_surfaces;  // the largest distance from a shape's surface to the mesh
  Interval mean_all;      // its mean by area, over the surfaces of all shapes
  // The largest distance over points that can be touched: after moving out by `offset` they are in no other shape, and
  // they are not inside the mesh if it is a closed solid. 0: there are none.
  Interval outer_surface;
  Interval sticks_out;  // the largest distance of the mesh from the union of the shapes
  bool complete = true;
  size_t patches = 0;  // number of evaluated patches
};

// Coordinates must be within the limits of check_mesh.
Certificate certify(const MeshView& mesh, const ShapeUnion& shapes, const CertifyOptions& options, Run& run);

}  // namespace hitbox::internal::measure
