// Every use of an edge by a face, sorted, so that the faces at one edge are neighbours in the list.
//
// Radix sort: linear in the corners, no hashing, the same order on every machine. 24 bytes a
// corner at its peak. A corner that repeats its predecessor makes no edge.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh.hpp"

namespace hitbox {

struct EdgeUse {
  uint32_t low, high, face;  // low < high
  friend bool operator==(const EdgeUse&, const EdgeUse&) = default;
};

// Ordered by (low, high, face). A face that runs along an edge twice is listed twice.
std::vector<EdgeUse> sorted_edge_uses(const MeshView& mesh);

// The same with the direction in which the face runs along the edge.
struct HalfEdge {
  uint32_t low, high;
  uint32_t face_and_direction;  // 2 face + (1 if from low to high): faces stay below 2^32 / 3

  uint32_t face() const { return face_and_direction >> 1; }
  bool goes_up() const { return (face_and_direction & 1) != 0; }
};

std::vector<HalfEdge> sorted_half_edges(const MeshView& mesh);

// Calls body(uses) for every edge with the span of its uses.
template <class Use, class Body>
void for_each_edge(const std::vector<Use>& sorted, Body&& body) {
  for (size_t first = 0, last = 0; first < sorted.size(); first = last) {
    while (last < sorted.size() && sorted[last].low == sorted[first].low &&
           sorted[last].high == sorted[first].high) {
      ++last;
    }
    body(std::span<const Use>(sorted.data() + first, last - first));
  }
}

}  // namespace hitbox
