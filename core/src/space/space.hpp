// Where a ball can go around a mesh (paper 4, section 3), as spheres that no collider may enter.
//
// C is the set of centres that are at least radius + tolerance from the mesh, at least the radius from every
// blocker, and that a ball gets to from outside the convex hull of the mesh without leaving C. The space is all
// that balls about points of C touch. Spheres on the boundary of C stand for it: what touches the mesh and meets
// the space crosses that boundary.
//
// A grid finds C: a point is free or not by its exact distance, whole cubes at a time, as a distance changes by no
// more than one steps. Where an edge of the grid leaves C there is a sphere, at the root of the distance and not at
// the grid's point; where edges of a cell leave it in several directions one more stands in the corner.
//
// Always holds: every sphere is centred in C (to 1e-9 of the radius inside it) or at a point the user gave; its
// radius is no larger than the room around it. A passage may be taken for open that is narrower than it should
// be by less than a grid step; none is taken for closed that is open.
// Cost: one distance to the mesh for each grid point near the boundary of C, 2 us each; memory up to 10 bytes a point,
// most of it while the fill goes on.
#pragma once

#include <cstdint>
#include <vector>

#include "hitbox/mesh.hpp"
#include "hitbox/result.hpp"
#include "hitbox/run.hpp"
#include "hitbox/shapes/sphere.hpp"
#include "space/clearance.hpp"
#include "space/grid.hpp"

namespace hitbox::internal::space {

struct SpaceOptions {
  double radius = 0;  // of the ball; mesh units, above 0
  Tolerance tolerance;
  bool reachable_only = true;      // off: sealed space counts too, but for the inside of solids
  std::vector<Vec3> clear_points;  // whatever room is around these, less the tolerance, is to be kept
  Blockers blockers;
};

// Which grid points a ball gets to, those counted that lie too near to something by less than a step. The grid points
// nearest to a ball's way are all reached, so what is nearest to one that is not cannot be got to.
struct Reach {
  static constexpr uint8_t kNearly = 1, kFree = 2;
  Grid grid;
  std::vector<uint8_t> is_reached;  // 0: not
};

struct NavigableSpace {
  std::vector<Sphere> spheres;  // the user's first, one a point that has room; then by grid cell
  size_t user_count = 0;        // of the user's
  Reach reach;
};

// `surface` is that of the mesh. Fails where the grid would have more than 2^30 points.
Result<NavigableSpace> navigable_space(const MeshView& mesh, const TriangleBvh& surface, const SpaceOptions& options,
                                       Run& run);

}  // namespace hitbox::internal::space
