// The facets of a hull for measurements: those of the exact convex hull of its vertices, not its own triangles.
// Triangles of other tools are convex only up to rounding, and the plane of a narrow one cuts off points far from it.
#pragma once

#include <vector>

#include "base/rooms.hpp"
#include "hitbox/shapes.hpp"
#include "hitbox/triangle_mesh.hpp"

namespace hitbox::internal::measure {

struct HullFacets {
  TriangleMesh mesh;
  std::vector<Vec3> normals;  // one per triangle, outward; 0 for slivers, whose normal is noise
  double width = 0;           // the smallest distance between a facet's plane and the vertex furthest behind it
  uint32_t polygons = 0;      // with coplanar triangles merged

  bool is_flat() const { return !(width > 0); }  // then `mesh` has the front and back of a polygon
};

HullFacets facets_of(const Hull& hull);  // O(n log n), plus up to 1e8 steps for the width

}  // namespace hitbox::internal::measure
