// Cuts a convex polygon by planes.
//
// A corner on a plane belongs to both parts, so no corner is ever moved, and a polygon that only touches a plane stays
// unchanged. A part may have fewer than three corners: then the polygon only touches the plane there.
//
// Always holds: the corners of a part are corners of the polygon, or points between two neighbours of which one lies
// behind the plane and one in front. They keep their order. Neighbouring polygons that share an edge get the same new
// corner, bit for bit, because `passing` does not depend on the direction of the edge.
// Rounding: the distance of a new corner from its plane is at most a few 1e-16 of the size of the numbers.
// Cost: linear in the corners, about 5 ns each.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/half_space.hpp"

namespace hitbox::internal::clip {

using namespace geometry;
using Polygon = std::vector<Vec3>;

// The point where the edge between a and b crosses the plane. The ends must lie on different sides of it.
Vec3 passing(const Vec3& a, const Vec3& b, const HalfSpace& plane);

// The parts of a polygon behind a plane and in front of it. Corners have any type: `side(corner)` is negative behind
// the plane, 0 on it and positive in front, and `between(a, b)` makes the corner where an edge crosses the plane. It is
// called once per edge whose ends lie strictly on different sides.
template <class Corner, class Side, class Between>
std::array<std::vector<Corner>, 2> split(std::span<const Corner> polygon, Side&& side, Between&& between);

// The part of the polygon at least `depth` behind all planes; empty if no corner is left.
Polygon clipped(std::span<const Vec3> polygon, std::span<const HalfSpace> planes, double depth = 0);

// Whether any point inside the polygon is more than `depth` behind all planes. A polygon in the surface of the solid
// between the planes has none, nor has one that touches the solid from outside.
bool enters(std::span<const Vec3> polygon, std::span<const HalfSpace> planes, double depth = 0);

// The normal times twice the area. The polygon is counter-clockwise as seen from its end.
Vec3 double_area(std::span<const Vec3> polygon);

template <class Corner, class Side, class Between>
std::array<std::vector<Corner>, 2> split(std::span<const Corner> polygon, Side&& side, Between&& between) {
  std::array<std::vector<Corner>, 2> parts;
  for (size_t k = 0; k < polygon.size(); ++k) {
    const Corner &a = polygon[k], &b = polygon[(k + 1) % polygon.size()];
    const auto from = side(a), to = side(b);
    if (from <= 0) parts[0].push_back(a);
    if (from >= 0) parts[1].push_back(a);
    if ((from < 0 && to > 0) || (from > 0 && to < 0)) {
      const Corner made = between(a, b);
      for (auto& part : parts) part.push_back(made);
    }
  }
  return parts;
}

}  // namespace hitbox::internal::clip
