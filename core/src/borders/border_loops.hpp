// The border of a mesh: sides of faces that no other face continues, and the closed loops that they form.
//
// At each edge as many faces that run up along it as run down cancel each other, in the order of their numbers. What is
// left runs one way and is border. So a closed mesh has none, and at every vertex as many border sides begin as end.
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
  uint32_t from, to, face;  // as the face runs
  friend auto operator<=>(const BorderSide&, const BorderSide&) = default;
};

// Ordered by (from, to, face).
std::vector<BorderSide> border_sides(const MeshView& mesh, Run& run);

// Runs against the faces beside it: as a face that closes the loop would run. No vertex comes twice.
struct BorderLoop {
  std::vector<uint32_t> vertices;  // three or more, the smallest one first
  std::vector<uint32_t> faces;     // beside the side from each vertex to the next one
  friend auto operator<=>(const BorderLoop&, const BorderLoop&) = default;
};

// Every side is in exactly one loop. Where several loops meet in a vertex, a walk takes the side to the vertex with the
// smallest number first, and each simple loop that it closes on its way is cut off. In order. `sides` are as many into
// each vertex as out of it, as border_sides gives them.
std::vector<BorderLoop> border_loops(std::span<const BorderSide> sides);

}  // namespace hitbox::internal::borders
