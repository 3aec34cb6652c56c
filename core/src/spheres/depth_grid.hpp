// How deep points lie below a mesh's surface, quickly and nearly: what spheres are searched with.
// (What is kept in the end is asked of the exact tree.)
//
// A grid of nodes, each with the surface's nearest point. A query takes the nearest of the eight
// around it, so the ridge of the depth, where two sides are equally far, stays sharp. Never less deep
// (or far) than the truth; which side of the surface a point is on can be wrong within a cell of it.
// Coordinates are those of a unit-diagonal mesh, and points up to half a diagonal away from it.
// Cost: 0.05 to 0.1 s to build; about 20 ns a query.
#pragma once

#include <array>
#include <vector>

#include "measure/winding.hpp"

namespace hitbox::internal::spheres {

class DepthGrid {
 public:
  struct Depth {
    double value;  // negative outside
    Vec3 near;     // on the surface
  };

  DepthGrid(const TriangleBvh& surface, const Winding& winding, const Bounds& box, Run& run);
  Depth at(const Vec3& p) const;

 private:
  struct Node {
    Vec3 near;
    double depth;
  };

  Vec3 place_of(size_t x, size_t y, size_t z) const {
    return origin_ + Vec3{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)} * spacing_;
  }
  void fill_row(const TriangleBvh& surface, const Winding& winding, size_t y, size_t z);

  double spacing_;
  Vec3 origin_;
  std::array<size_t, 3> size_;
  std::vector<Node> nodes_;
};

}  // namespace hitbox::internal::spheres
