// Planar caps: triangles that close planar border loops, with holes for loops inside others.
//
// A loop is planar if all its vertices are within `tolerance` of the plane through their mean with the loop's area
// vector as normal. A planar loop inside an outer one, in its plane and in the opposite direction, is a hole of it. A
// loop inside a hole, or in no other loop, is an outer loop.
//
// Always holds: each side of a loop is covered once, in the direction of the loop, and all other sides of the caps
// cancel. So a mesh whose loops are all capped is closed, for any shape of the loops. If loops neither cross nor touch
// themselves or each other, seen along the coordinate axis nearest to their normal, no two triangles overlap and the
// triangles fill the area between the loops, because exact predicates decide sides. Cost: as geometry/ears. Joining a
// hole to its surroundings usually takes O(n), at worst O(n^2).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "borders/border_loops.hpp"
#include "hitbox/triangle_mesh.hpp"

namespace hitbox::internal::borders {

struct Outline {
  uint32_t outer;               // indices of loops
  std::vector<uint32_t> holes;  // ascending
};

struct Outlines {
  std::vector<Outline> planar;   // by `outer`
  std::vector<uint32_t> curved;  // the loops that are not planar, ascending
};
Outlines outlines_of(std::span<const Vec3> vertices, std::span<const BorderLoop> loops, double tolerance, Run& run);

// The triangles of one outline. Holes have the opposite direction of `outer`.
std::vector<Triangle> cap_of(std::span<const Vec3> vertices, std::span<const uint32_t> outer,
                             std::span<const std::span<const uint32_t>> holes);

// The caps of all planar loops of a mesh.
struct Caps {
  std::vector<Triangle> triangles;  // outline by outline
  std::vector<BorderLoop> curved;   // loops that stay open
};
Caps planar_caps(const MeshView& mesh, double tolerance, Run& run);

}  // namespace hitbox::internal::borders
