// The border of a mesh: the sides of faces without a neighbour, and the closed loops that they form.
//
// At each edge, faces that traverse it upward and downward cancel in pairs, in the order of their numbers. The rest
// traverses it in one direction and is border. So a closed mesh has no border, and at every vertex as many border sides
// begin as end.
// Cost: O(n log n).
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"

namespace hitbox::internal::borders {

struct BorderSide {
  uint32_t from, to, face;  // in the direction of the face
  friend auto operator<=>(const BorderSide&, const BorderSide&) = default;
};

// Ordered by (from, to, face).
std::vector<BorderSide> border_sides(const MeshView& mesh, Run& run);

// A loop in the direction of a face that would close it, opposite to the faces beside it. No vertex is repeated.
struct BorderLoop {
  std::vector<uint32_t> vertices;  // three or more, the smallest one first
  std::vector<uint32_t> faces;     // the face at the side from each vertex to the next one
  friend auto operator<=>(const BorderLoop&, const BorderLoop&) = default;
};

// Every side is in exactly one loop. If several loops meet in a vertex, the walk takes the side to the vertex with the
// smallest number first, and cuts off each simple loop that it closes. Loops are sorted. `sides` must have as many
// sides into each vertex as out of it, as from border_sides.
std::vector<BorderLoop> border_loops(std::span<const BorderSide> sides);

}  // namespace hitbox::internal::borders
