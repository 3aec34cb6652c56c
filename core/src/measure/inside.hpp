// Which points lie inside a closed mesh.
//
// A point is inside if a ray from it crosses the surface an odd number of times (the even-odd rule: an inner shell is a
// hole, however it is wound). The ray runs along z, and exact predicates decide every crossing, as if the point were
// moved by an infinitesimal step in x and a far smaller one in y. So a ray through an edge or a vertex is not a special
// case, and neighbours agree.
//
// Always holds: on a mesh whose edges are each used an even number of times, the result is right for every point off
// the surface. A point on the surface counts as outside. On an open mesh the result is meaningless, so call
// is_closed_solid first.
// Cost: linear to build; a query visits the triangles above or below it, 1-2 us on a million faces.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bvh/bvh.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"

namespace hitbox::internal::measure {

// Whether, with equal vertices welded, every edge is used by exactly two faces, once in each direction, and the
// enclosed volume is positive. Takes 0.2 s per million triangles.
bool is_closed_solid(const MeshView& mesh, Run& run);

class Solid {
 public:
  explicit Solid(const TriangleBvh& surface);  // `surface` must outlive it
  bool contains(const Vec3& p) const;

 private:
  const TriangleBvh& surface_;
  Bounds bounds_;
};

// 1 for points inside, 0 for others.
std::vector<uint8_t> points_inside(std::span<const Vec3> points, const MeshView& mesh, Run& run);

}  // namespace hitbox::internal::measure
