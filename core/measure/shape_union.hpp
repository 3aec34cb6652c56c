// Many convex shapes as one set: how far points are outside it, and which single shape holds them.
//
// Exact, up to rounding. A tree over the shapes' boxes and, for hulls, their planes worked out once:
// a point is compared with the few shapes whose boxes are near it. Costs about 0.3 us a point.
#pragma once

#include <span>
#include <vector>

#include "../base/run.hpp"
#include "../bvh/bvh.hpp"
#include "../shapes/shape.hpp"

namespace hitbox {

class ShapeUnion {
 public:
  ShapeUnion(std::span<const Shape> shapes, Run& run);  // `shapes` must outlive it

  // How far p is outside the union; 0 inside.
  double distance(const Vec3& p) const;
  // At least the distance of every point of the convex hull of `points`: that from the one best of
  // the shapes around `center`. A signed distance from a convex shape is convex.
  double farthest_of_hull(std::span<const Vec3> points, const Vec3& center) const;
  // Whether a shape other than `skip` holds p, `depth` (positive or negative) below its surface.
  bool contains(const Vec3& p, uint32_t skip, double depth) const;
  // Whether one single shape other than `skip` so holds all `points`, and therefore their hull.
  bool one_contains(std::span<const Vec3> points, uint32_t skip, double depth) const;

 private:
  struct Plane {
    Vec3 normal, point;
  };
  struct Planes {  // of a hull with an inside; none for other shapes
    uint32_t first = 0, count = 0;
  };

  void add_planes(const Hull& hull, Planes& planes);
  double plane_distance(uint32_t shape, const Vec3& p) const;
  double signed_distance_below(uint32_t shape, const Vec3& p, double limit) const;
  bool holds(uint32_t shape, const Vec3& p, double depth) const;

  std::span<const Shape> shapes_;
  std::vector<Plane> all_planes_;
  std::vector<Planes> planes_;
  BoxBvh boxes_;
};

}  // namespace hitbox
