// A convex polyhedron as its sides, cut by planes.
//
// It starts as a box, and each cut parts it into what is behind a plane and what is in front. Cells of space between
// cutting planes, what a set of half-spaces has in common, and prisms are all made so.
//
// Robustness: no tolerance decides anything. A corner has the same coordinates in each side that it belongs to, bit for
// bit, and a new one is made from its edge alone, so all sides agree on which side of the plane it lies. The cap is
// made of the edges that the cut has left open. Both parts are therefore closed for any plane: each edge of a side is
// one of another side, the other way round. A corner exactly on the plane belongs to both parts. A plane that only
// touches the polytope, along a corner, an edge or a side, leaves it as it is and the other part empty. Where corners
// lie on the plane but for rounding, slivers appear, and a cap may consist of several polygons or turn inward, by no
// more than 1e-15 of the size.
//
// Always holds, up to rounding: the two parts fill the polytope, and the volume of both is its volume.
// Cost: about 3 us for a cut of one of 12 sides; proportional to the corners of all sides.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "clip/polygon.hpp"
#include "hitbox/bounds.hpp"

namespace hitbox::internal::clip {

class Polytope {
 public:
  Polytope() = default;  // empty
  explicit Polytope(const Bounds& box);
  // What of the box is behind all planes.
  Polytope(const Bounds& box, std::span<const HalfSpace> planes);

  bool is_empty() const { return sides_.empty(); }
  // The part behind the plane, and that in front of it; either may be empty.
  std::array<Polytope, 2> cut(const HalfSpace& plane) const;
  // Counter-clockwise from outside.
  std::span<const Polygon> sides() const { return sides_; }
  std::vector<Vec3> corners() const;  // each once
  double volume() const;

 private:
  std::vector<Polygon> sides_;
};

}  // namespace hitbox::internal::clip
