// The space that a ball can reach around a mesh (paper 4, section 3), as spheres that no collider may enter.
//
// C is the set of centres that are at least radius + tolerance from the mesh and at least the radius from every
// blocker, and that a ball can reach from outside the convex hull of the mesh without leaving C. The space is the union
// of the balls around points of C. Spheres on the boundary of C represent it: a hull that touches the mesh and enters
// the space crosses that boundary.
//
// A grid finds C. Exact distances decide which points are free, for whole cubes at a time, because distances are
// 1-Lipschitz. Each edge of the grid that leaves C gets a sphere, at the root of the distance and not at the grid
// point. A cell whose edges leave C in several directions gets an extra sphere in the corner.
//
// Always holds: every sphere is centred in C (to 1e-9 of the radius) or at a point of the user. Its radius is at most
// the room around it. A passage that is too narrow by less than a grid step may count as open. An open passage never
// counts as closed.
// Cost: one distance to the mesh per grid point near the boundary of C, 2 us each. Memory: up to 10 bytes per point,
// most of it during the fill.
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

struct SpaceQuery {
  double radius = 0;  // radius of the ball in mesh units, above 0
  Tolerance tolerance;
  bool reachable_only = true;      // off: sealed space counts too, except the inside of solids
  std::vector<Vec3> clear_points;  // the room around these points, minus the tolerance, stays clear
  Blockers blockers;
};

// The grid points that a ball can reach, including points that are too near to an obstacle by less than a step. All
// grid points nearest to a ball's path are reached, so a place nearest to an unreached point is unreachable.
struct Reach {
  static constexpr uint8_t kNearly = 1, kFree = 2;
  Grid grid;
  std::vector<uint8_t> is_reached;  // 0: unreachable
};

struct ReachedSpace {
  std::vector<Sphere> spheres;  // the user's first, one per point with room; then by grid cell
  size_t user_count = 0;        // number of the user's spheres
  Reach reach;
};

// `surface` is that of the mesh. Fails if the grid would have more than 2^30 points.
Result<ReachedSpace> reached_space(const MeshView& mesh, const TriangleBvh& surface, const SpaceQuery& options,
                                   Run& run);

}  // namespace hitbox::internal::space
