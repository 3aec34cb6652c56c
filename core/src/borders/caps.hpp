// Planar caps: triangles that close planar border loops, with holes where loops lie in each other.
//
// A loop is planar if all its vertices are within `tolerance` of the plane through their mean with the loop's own area
// vector as normal. A planar loop inside an outer one, in its plane and running the other way round, is a hole of it;
// what lies in a hole is an outer loop again, and so is what lies in no other loop.
//
// Always holds: a loop's sides are covered once each, in the direction of the loop, and all other sides of the caps
// cancel. So a mesh whose loops are all capped is closed, whatever the loops' shape. Where loops neither cross nor
// touch themselves or each other, seen along the coordinate axis nearest to their normal, no two triangles overlap and
// the triangles fill what the loops bound: sides are decided by exact predicates. Cost: as geometry/ears; a hole is
// joined to what is around it in O(n) for most, O(n^2) at worst.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "borders/border_loops.hpp"
#include "hitbox/triangle_mesh.hpp"

namespace hitbox::internal::borders {

struct Outline {
  uint32_t outer;               // places among the loops
  std::vector<uint32_t> holes;  // ascending
};

struct Outlines {
  std::vector<Outline> planar;   // by `outer`
  std::vector<uint32_t> curved;  // the loops that are not planar, ascending
};
Outlines outlines_of(std::span<const Vec3> vertices, std::span<const BorderLoop> loops, double tolerance, Run& run);

// Triangles of one outline. Holes run the other way round than `outer`.
std::vector<Triangle> cap_of(std::span<const Vec3> vertices, std::span<const uint32_t> outer,
                             std::span<const std::span<const uint32_t>> holes);

// Caps of all planar loops of a mesh.
struct Caps {
  std::vector<Triangle> triangles;  // outline by outline
  std::vector<BorderLoop> curved;   // loops that stay open
};
Caps planar_caps(const MeshView& mesh, double tolerance, Run& run);

}  // namespace hitbox::internal::borders
