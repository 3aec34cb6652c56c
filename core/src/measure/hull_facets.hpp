// The facets of a hull as they are asked about: the exact convex hull of its vertices, whatever its
// own triangles. Those of other tools are convex only up to rounding, and the plane of a narrow one
// cuts off what is far from it.
#pragma once

#include <vector>

#include "base/rooms.hpp"
#include "hitbox/shapes.hpp"
#include "hitbox/triangle_mesh.hpp"

namespace hitbox::internal::measure {

struct HullFacets {
  TriangleMesh mesh;
  std::vector<Vec3> normals;  // one a triangle, outward; 0 for slivers, whose normal is noise
  double width = 0;           // between a facet's plane and the vertex furthest behind it, at its smallest
  uint32_t polygons = 0;      // coplanar triangles joined

  bool is_flat() const { return !(width > 0); }  // then `mesh` is the polygon, front and back
};

HullFacets facets_of(const Hull& hull);  // O(n log n), the width up to 1e8 steps more

}  // namespace hitbox::internal::measure
