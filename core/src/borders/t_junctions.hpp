// T-junctions: border vertices inside a border side instead of at its ends, so that the adjacent faces share no edge.
//
// Vertex v lies inside side s if it is not one of its ends, is at most `tolerance` away from it, and its nearest point
// on s is more than `tolerance` from both ends. Faces never change: sides are cut, and pieces of opposite directions
// are paired. Cost: O(n log n) for n border sides and as many junctions.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "borders/border_loops.hpp"

namespace hitbox::internal::borders {

struct TJunction {
  uint32_t side;  // index of the side
  uint32_t vertex;
  double along;  // position of its nearest point: 0 at `from`, 1 at `to`
};

// Ordered by (side, along, vertex). `tolerance` is a length of 0 or more; 0 finds vertices exactly on a side, up to the
// precision of doubles.
std::vector<TJunction> t_junctions(std::span<const Vec3> vertices, std::span<const BorderSide> sides, double tolerance,
                                   Run& run);

// The pieces of each side between its junctions, in the order of the sides and along them.
std::vector<BorderSide> cut_sides(std::span<const BorderSide> sides, std::span<const TJunction> junctions);

// Pieces of opposite directions between the same vertices, matched in the order of their faces.
struct MatchedSides {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;  // indices of sides: up (from < to), down; sorted by vertices
  std::vector<uint32_t> single;                      // ascending
};
MatchedSides matched_sides(std::span<const BorderSide> sides);

}  // namespace hitbox::internal::borders
