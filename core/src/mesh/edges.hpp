// All uses of edges by faces, sorted, so that the faces of an edge are adjacent in the list.
//
// A radix sort is linear in the corners, needs no hashing, and gives the same order on every machine. It needs at most
// 24 bytes per corner. A corner that repeats its predecessor makes no edge.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"

namespace hitbox::internal::mesh {

// The use of an edge by a face, with the direction in which the face traverses it.
struct HalfEdge {
  uint32_t low, high;           // low < high
  uint32_t face_and_direction;  // 2 face + (1 if from low to high); there are fewer than 2^32 / 3 faces

  uint32_t face() const { return face_and_direction >> 1; }
  bool goes_up() const { return (face_and_direction & 1) != 0; }
};

// Ordered by (low, high, face). A face that traverses an edge twice is listed twice.
std::vector<HalfEdge> sorted_half_edges(const MeshView& mesh, Run& run);

// Calls body(uses) per edge with the span of its uses.
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
