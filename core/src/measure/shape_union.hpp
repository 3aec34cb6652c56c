// The union of many convex shapes: distances of points from it, and the shapes that contain them.
//
// Results are exact up to rounding. A tree over the shapes' boxes finds the few that matter. A hull uses its facets
// (hull_facets.hpp), computed once.
// Cost: a query is logarithmic in the shapes. For hulls whose boxes are near the point it is linear in their facets up
// to a few hundred, and logarithmic beyond. It takes about 0.3 us for primitives.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "bvh/bvh.hpp"
#include "hitbox/run.hpp"
#include "hitbox/shapes.hpp"
#include "measure/shape_facts.hpp"

namespace hitbox::internal::measure {

class ShapeUnion {
 public:
  ShapeUnion(std::vector<Shape> shapes, Run& run);  // at least one shape, all finite

  std::span<const Shape> shapes() const { return shapes_; }
  std::span<const ShapeFacts> facts() const { return facts_; }  // one per shape

  // The distance of p from the union; 0 inside.
  double distance(const Vec3& p) const;
  // An upper bound of the distance of all points in the convex hull of `points`: that from the best single shape around
  // `center`. A signed distance from a convex shape is convex.
  double farthest_of_hull(std::span<const Vec3> points, const Vec3& center) const;
  // The number of shapes other than `skip` that contain p strictly inside, counted up to `most`.
  size_t count_around(const Vec3& p, uint32_t skip, size_t most) const;
  // Whether a shape other than `skip` contains p at a depth of `depth` (positive or negative) below its surface.
  bool contains(const Vec3& p, uint32_t skip, double depth) const;
  // Whether a single shape other than `skip` contains all `points` like that, and therefore their hull.
  bool one_contains(std::span<const Vec3> points, uint32_t skip, double depth) const;

 private:
  struct Plane {
    Vec3 normal, point;
  };
  struct Facets {
    std::vector<Plane> planes;  // empty for a flat hull, which has no inside
    std::vector<std::array<Vec3, 3>> triangles;
    std::optional<TriangleBvh> tree;  // over the triangles, if there are many
    std::vector<Vec3> normals;        // normals of the tree's triangles; 0 for slivers
  };

  static Facets asked_of(const HullFacets& found);
  static double signed_distance_in_tree(const Facets& hull, const Vec3& p);
  const Facets* facets(uint32_t shape) const {
    return facets_of_shape_[shape] == Bvh::kNone ? nullptr : &facets_[facets_of_shape_[shape]];
  }
  double signed_distance_below(uint32_t shape, const Vec3& p, double limit) const;
  bool holds(uint32_t shape, const Vec3& p, double depth) const;

  std::vector<Shape> shapes_;
  std::vector<ShapeFacts> facts_;
  std::vector<Facets> facets_;             // of the hulls only
  std::vector<uint32_t> facets_of_shape_;  // Bvh::kNone for other kinds
  BoxBvh boxes_;
};

}  // namespace hitbox::internal::measure
