// The exact relation of two triangles.
//
// Every decision is a sign from orient2d or orient3d, so the result holds for exactly the given coordinates. It does
// not depend on the order of the two triangles or of their corners.
//
// A triangle is a closed set: its corners and edges belong to it. Its inside is the triangle without its edges.
//   apart         They have no point in common.
//   share_corner  One corner of both is the same point, and they have nothing else in common.
//   share_edge    Two corners of both are the same points, and they have nothing but the edge between these in common.
//   touch         They have other points in common, but the inside of one never meets the inside of the other: a corner
//                 or an edge of one lies in the other, or two edges cross.
//   cross         Their insides meet, and they do not lie in one plane: one passes through the other.
//   overlap       Their insides meet, and they lie in one plane. Two equal triangles overlap.
// Corners are the same if their coordinates are equal; indices do not matter.
//
// A triangle without area counts as the segment or the point that it covers. The inside of a segment is the segment
// without its ends; that of a point is the point. Such a triangle never shares: it is apart, touches, crosses a
// triangle that its inside passes through, or overlaps what it lies in.
//
// Range: that of the predicates (geometry/predicates).
// Cost: about 50 ns for a pair that the plane of one separates, 0.2 us for one that crosses; a few us if points lie
// in one plane.
#pragma once

#include <array>
#include <cstdint>

#include "base/rooms.hpp"
#include "hitbox/vec3.hpp"

namespace hitbox::internal::geometry {

enum class TrianglePair : uint8_t { apart, share_corner, share_edge, touch, cross, overlap };

using TriangleCorners = std::array<Vec3, 3>;

TrianglePair relation(const TriangleCorners& a, const TriangleCorners& b);

// Whether the triangles have a common point.
inline bool do_meet(const TriangleCorners& a, const TriangleCorners& b) {
  return relation(a, b) != TrianglePair::apart;
}

// Whether their insides meet: the pair crosses or overlaps.
inline bool do_enter(const TriangleCorners& a, const TriangleCorners& b) {
  return relation(a, b) >= TrianglePair::cross;
}

}  // namespace hitbox::internal::geometry
