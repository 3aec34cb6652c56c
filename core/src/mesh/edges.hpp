// Every use of an edge by a face, sorted, so that the faces at one edge are neighbours in the list.
//
// Radix sort: linear in the corners, no hashing, the same order on every machine. 24 bytes a
// corner at its peak. A corner that repeats its predecessor makes no edge.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"

namespace hitbox::internal::mesh {

// One face at one edge, with the direction in which it runs along it.
struct HalfEdge {
  uint32_t low, high;           // low < high
  uint32_t face_and_direction;  // 2 face + (1 if from low to high): faces stay below 2^32 / 3

  uint32_t face() const { return face_and_direction >> 1; }
  bool goes_up() const { return (face_and_direction & 1) != 0; }
};

// Ordered by (low, high, face). A face that runs along an edge twice is listed twice.
std::vector<HalfEdge> sorted_half_edges(const MeshView& mesh, Run& run);

// Calls body(uses) for every edge with the span of its uses.
template <class Body>
void for_each_edge(const std::vector<HalfEdge>& sorted, Body&& body) {
  for (size_t first = 0, last = 0; first < sorted.size(); first = last) {
    while (last < sorted.size() && sorted[last].low == sorted[first].low && sorted[last].high == sorted[first].high) {
      ++last;
    }
    body(std::span<const HalfEdge>(sorted.data() + first, last - first));
  }
}

}  // namespace hitbox::internal::mesh
