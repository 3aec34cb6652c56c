// The convex hull of points, exactly.
//
// Quickhull (Barber, Dobkin, Huhdanpaa 1996). orient3d decides every question about a side, so the combinatorial result
// is the hull of exactly the given coordinates. The float distance from a plane only chooses the next point. A point in
// the plane of a facet does not see it. Coplanar triangles that remain are merged and triangulated again at the end.
//
// Always holds: the vertices are exactly the extreme points of the input, bit for bit, each once (the first of equal
// points), in dimension 3 in input order. The triangles are closed (every directed edge once, its reverse once) and
// face outward, and no input point lies strictly outside one. The set of triangles does not depend on the order of the
// input.
//
// Range: decisions are exact down to 1e-183 of the largest coordinate. Smaller coordinates count as 0.
// Cost: O(n log n) in practice; 1e6 points in a cube or 1e5 on a sphere well below half a second.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/vec2.hpp"
#include "hitbox/result.hpp"
#include "hitbox/triangle_mesh.hpp"

namespace hitbox::internal::geometry {

struct ConvexHull {
  // 3: a solid. 2: all points lie in a plane. The vertices go once around the polygon, and the triangles cover it
  // twice, front (seen from where the vertices turn counter-clockwise) and back, as a closed surface without volume. 1:
  // a segment, with two ends and no triangles. 0: one point.
  int dimension = 0;
  TriangleMesh mesh;
  std::vector<uint32_t> indices;  // mesh.vertices[k] == points[indices[k]]
};

// Fails only without points, with more than 2^31 - 1 points, or for a coordinate that is not finite.
Result<ConvexHull> convex_hull(std::span<const Vec3> points);

// The volume of the hull of finite points, in half the time of the hull; 0 if they lie in a plane or there are none.
double convex_hull_volume(std::span<const Vec3> points);

// The corners of the hull of points in a plane, counter-clockwise from the leftmost (then lowest) one: 2 for collinear
// points, 1 for equal ones. Coordinates must be finite and in the exact range.
std::vector<uint32_t> convex_hull_2d(std::span<const Vec2> points);

// Checks the guarantees above. Returns an empty text, or the violated one. Compares every point with every triangle if
// `exhaustive`, otherwise only neighbouring triangles, in linear time.
std::string verify_hull(std::span<const Vec3> points, const ConvexHull& hull, bool exhaustive);

}  // namespace hitbox::internal::geometry
