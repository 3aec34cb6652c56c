// Proves that no hull enters the space, or finds violations.
//
// Spheres represent the space only at grid points. Between them, and in pockets without a grid point, a hull could
// still enter the space. Every hull is connected and touches the mesh, where the nearest centre is further away than
// the radius. So if a point of the hull is closer to a centre than radius - slack, there is also such a point that is
// not a centre itself, because the distance is continuous along the hull. The centre nearest to that point lies on the
// boundary of the set of centres. So only cubes that this boundary crosses are checked, and halved while the boundary
// in them may be too close to a hull. Distances are 1-Lipschitz, so a sufficient distance at the centre of a small cube
// holds in all of it.
//
// Most cubes need no halving, because hull and mesh lie on the same side of them. Let c be the centre of the cube, s
// and h the nearest points of mesh and hull, and u and v the directions from them to c. A ball's centre x in the cube
// is at least radius + tolerance from s, so u.(x - c) is at least radius + tolerance - |c - s| - |x - c|^2 / 2|c - s|.
// The distance from a convex hull is convex, so that of x is at least |c - h| + v.(x - c).
//
// If there are no violations, every centre on the boundary is proved to be at least radius - slack from every hull.
// Cost: one distance to the mesh per grid point near the boundary, and more where hulls come close.
#pragma once

#include <vector>

#include "hulls/convex_body.hpp"
#include "hulls/part_hull.hpp"
#include "space/space.hpp"

namespace hitbox::internal::hulls {

// The cubes around grid points through which the boundary of the set of centres may go.
struct Boundary {
  Grid grid;
  std::vector<uint32_t> points;  // ascending
};
Boundary boundary_of(const Reach& reach, const Clearance& clearance, Run& run);

struct Violation {
  Sphere sphere;
  uint32_t hull;
};

// Returns at most `most_a_hull` violations per hull. `clearance` is that of the space.
std::vector<Violation> violations(std::span<const PartHull* const> hulls, const Boundary& boundary,
                                  const Clearance& clearance, double radius, double slack, size_t most_a_hull,
                                  Run& run);

// At most `most` spheres around centres that are too close to the body. Only the cubes near the body are visited. The
// body need not touch the mesh: then a body that lies in the set of centres altogether is too close to no boundary.
std::vector<Sphere> violations(const ConvexBody& body, const Boundary& boundary, const Clearance& clearance,
                               double radius, double slack, size_t most);

}  // namespace hitbox::internal::hulls
