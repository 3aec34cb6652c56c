// The axis of a round shape: from the centre of one end to the centre of the other.
#pragma once

#include <vector>

#include "base/rooms.hpp"
#include "hitbox/shapes/interface.hpp"

namespace hitbox::internal::shapes {

struct Axis {
  Vec3 center, direction;  // `direction` is a unit vector; it is z if start and end coincide
  double half_length;

  // The coordinates of `p` relative to the axis: along it from the centre, and the distance from it.
  struct Local {
    double along, off;
  };
  Local to_local(const Vec3& p) const {
    const Vec3 d = p - center;
    const double along = dot(d, direction);
    return {along, norm(d - direction * along)};
  }
  Vec3 at(double along) const { return center + direction * along; }
};

inline Axis axis_of(const Vec3& start, const Vec3& end) {
  return {start * 0.5 + end * 0.5, normalized(end - start, {0, 0, 1}), norm(end - start) / 2};
}

// The component of `d` perpendicular to the unit vector `axis`, as a unit vector; 0 if there is none. The projection is
// applied twice, because the first difference of a nearly parallel `d` is mostly rounding along the axis.
inline Vec3 radial(const Vec3& axis, const Vec3& d) {
  const Vec3 unit = normalized(d, {0, 0, 0});
  const Vec3 rest = unit - axis * dot(axis, unit);
  if (!(norm_sq(rest) > 1e-28)) return {0, 0, 0};
  const Vec3 once = normalized(rest);
  return normalized(once - axis * dot(axis, once));
}

// The bounds of a disc.
inline Bounds disc_bounds(const Vec3& center, const Vec3& normal, double radius) {
  const auto reach = [&](double n) { return radius * std::sqrt(std::max(0.0, 1 - n * n)); };
  const Vec3 size{reach(normal.x), reach(normal.y), reach(normal.z)};
  return {center - size, center + size};
}

// One circle of a surface of revolution.
struct Ring {
  double along, radius;
};

// The closed surface of revolution of the profile `rings` (from first to last along the axis, convex), with `segments`
// flat sides that touch the round surface from outside. A ring of radius 0 is one vertex. The first and the last ring
// get flat caps if they are wider.
TriangleMesh revolve(const Axis& axis, const std::vector<Ring>& rings, int segments);

// The profile of a capsule (a sphere if half_length is 0): a polygon around the two half circles that touches them with
// every edge, with a vertex at each pole and an edge along the side.
std::vector<Ring> capsule_profile(double half_length, double radius, int segments);

}  // namespace hitbox::internal::shapes
