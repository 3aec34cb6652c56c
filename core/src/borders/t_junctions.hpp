// T-junctions: border vertices that lie within a border side instead of at its ends, so that faces which meet there do
// not share an edge.
//
// Vertex v lies within side s if it is none of its ends, is at most `tolerance` away from it, and its nearest point on
// s is more than `tolerance` from both ends. Faces are never changed: sides are cut, and pieces that run in opposite
// directions are paired. Cost: O(n log n) for n border sides and as many junctions.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "borders/border_loops.hpp"

namespace hitbox::internal::borders {

struct TJunction {
  uint32_t side;  // its place among the sides
  uint32_t vertex;
  double along;  // where its nearest point is: 0 at `from`, 1 at `to`
};

// Ordered by (side, along, vertex). `tolerance` is a length, 0 or more; 0 finds what lies exactly on a side as far as
// doubles tell.
std::vector<TJunction> t_junctions(std::span<const Vec3> vertices, std::span<const BorderSide> sides, double tolerance,
                                   Run& run);

// Each side as the pieces between its junctions, in the order of the sides and along them.
std::vector<BorderSide> cut_sides(std::span<const BorderSide> sides, std::span<const TJunction> junctions);

// Pieces of opposite directions between the same vertices, matched in the order of their faces.
struct MatchedSides {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;  // places among the sides: up (from < to), down; by vertices
  std::vector<uint32_t> single;                      // ascending
};
MatchedSides matched_sides(std::span<const BorderSide> sides);

}  // namespace hitbox::internal::borders
