// Closest points on segments and triangles.
//
// They are also valid for triangles that are segments or points. The result always lies on the triangle, so a distance
// to it is never too small. For slivers its error is below 1e-9 of their length.
#pragma once

#include <array>
#include <cmath>

#include "base/rooms.hpp"
#include "hitbox/vec3.hpp"

namespace hitbox::internal::geometry {

inline Vec3 closest_point_on_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 along = b - a;
  const double length_sq = norm_sq(along);
  if (!(length_sq > 0)) return a;
  const double t = dot(p - a, along) / length_sq;
  return t <= 0 ? a : t >= 1 ? b : a + along * t;
}

inline Vec3 closest_point_on_triangle_edges(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  Vec3 best = closest_point_on_segment(p, a, b);
  for (const Vec3& q : {closest_point_on_segment(p, b, c), closest_point_on_segment(p, c, a)})
    if (norm_sq(p - q) < norm_sq(p - best)) best = q;
  return best;
}

inline Vec3 closest_point_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, bc = c - b, ca = a - c;
  const Vec3 normal = cross(ab, -ca);
  const double at_a = dot(cross(bc, p - b), normal), at_b = dot(cross(ca, p - c), normal),
               at_c = dot(cross(ab, p - a), normal), sum = at_a + at_b + at_c;
  if (!(at_a >= 0 && at_b >= 0 && at_c >= 0 && sum > 0)) return closest_point_on_triangle_edges(p, a, b, c);
  const Vec3 inside = a * (at_a / sum) + b * (at_b / sum) + c * (at_c / sum);
  // The weights of a sliver are noise, but its edges are as near as its inside.
  if (norm_sq(normal) > 1e-16 * norm_sq(ab) * norm_sq(ca)) return inside;
  const Vec3 edge = closest_point_on_triangle_edges(p, a, b, c);
  return norm_sq(p - edge) < norm_sq(p - inside) ? edge : inside;
}

inline double distance_to_triangle(const Vec3& p, const std::array<Vec3, 3>& corners) {
  return norm(p - closest_point_on_triangle(p, corners[0], corners[1], corners[2]));
}

}  // namespace hitbox::internal::geometry
