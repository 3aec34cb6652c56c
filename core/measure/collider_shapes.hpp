// The shapes of a collider, ready for very many questions about points.
//
// A tree over the shapes' boxes finds the few that matter; each is then asked exactly. A hull is the
// exact convex hull of its vertices here, whatever its triangles: those of other tools are convex
// only up to rounding, and the plane of a narrow one cuts off what is far from it.
// Cost: building is O(n log n) in the hulls' vertices; a question is logarithmic in the shapes and
// linear in the facets of the hulls whose boxes hold the point.
#pragma once

#include "../base/run.hpp"
#include "../bvh/bvh.hpp"
#include "../shapes/shape.hpp"

namespace hitbox {

// What an engine sees of a shape. Lengths in the units of the shape.
struct ShapeFacts {
  double volume = 0;
  double smallest_extent = 0;  // between two parallel planes; of a hull: over its facets' directions
  uint32_t corners = 0;        // of a hull, 0 otherwise
  uint32_t polygons = 0;       // of a hull, coplanar triangles joined; 0 otherwise
};

class ColliderShapes {
 public:
  ColliderShapes(std::vector<Shape> shapes, Run& run);  // at least one, all finite

  std::span<const Shape> shapes() const { return shapes_; }
  std::span<const ShapeFacts> facts() const { return facts_; }

  // How many shapes other than `own` hold `p` strictly inside, counted up to `most`.
  size_t others_around(const Vec3& p, uint32_t own, size_t most) const;
  // How far `p` is from the union of all shapes, exactly; 0 inside.
  double distance_outside(const Vec3& p) const;

 private:
  struct Plane {
    Vec3 normal;
    double offset;  // outside where dot(normal, p) > offset
  };
  struct HullFacets {
    std::vector<Plane> planes;  // none: the hull is flat and has no inside
    std::vector<std::array<Vec3, 3>> triangles;
  };

  HullFacets facets_of(const Hull& hull, ShapeFacts& facts) const;
  bool is_inside(uint32_t shape, const Vec3& p) const;
  double distance_within(uint32_t shape, const Vec3& p, double limit) const;

  std::vector<Shape> shapes_;
  std::vector<ShapeFacts> facts_;
  std::vector<HullFacets> hulls_;        // of the hulls alone
  std::vector<uint32_t> hull_of_shape_;  // Bvh::kNone for the others
  BoxBvh boxes_;
};

}  // namespace hitbox
