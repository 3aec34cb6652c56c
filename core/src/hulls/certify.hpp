// Proves that no hull enters the space, or finds where one does.
//
// Spheres stand for the space only at points of a grid; between them, and in pockets that no grid point lies in, a hull
// could still enter it. Every hull touches the mesh, where the nearest centre is further away than the radius, and is
// in one piece: if a point of it is nearer to a centre than radius - slack, then so is one that is no centre itself, as
// the distance falls evenly on the way there. The centre nearest to that point lies on the boundary of where centres
// can be. So the cubes through which that boundary goes are looked at, and halved while something of the boundary may
// be too near to a hull: distances change by at most one per step, so what is far enough at the middle of a small cube
// is so in all of it.
//
// Most cubes need no halving, as hull and mesh lie on the same side of them. With the middle c, the mesh's nearest
// point s and the hull's h, and their directions from c, u and v: a centre x of the cube is at least radius + tolerance
// from s, so u.(x - c) is at least radius + tolerance - |c - s| - |x - c|^2 / 2|c - s|; and the distance from a
// convex hull is convex, so that of x is at least |c - h| + v.(x - c).
//
// Proved where nothing is found: every centre of the boundary is at least radius - slack from every hull.
// Cost: a distance to the mesh for each grid point near the boundary, and more where hulls come near.
#pragma once

#include <vector>

#include "hulls/part_hull.hpp"
#include "space/space.hpp"

namespace hitbox::internal::hulls {

struct Violation {
  Sphere sphere;
  uint32_t hull;
};

// At most `most_a_hull` for each hull. `clearance` is that of the space.
std::vector<Violation> violations(std::span<const PartHull* const> hulls, const Reach& reach,
                                  const Clearance& clearance, double radius, double slack, size_t most_a_hull,
                                  Run& run);

}  // namespace hitbox::internal::hulls
