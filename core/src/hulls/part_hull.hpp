// The convex hull of a part, with what is asked of it again and again: planes, box, volume, distances.
//
// The hull is exact (geometry/convex_hull). Flat and straight sets of points have none: they are made a little
// thicker along what is missing, as engines cannot use them otherwise.
// Cost: O(n log n) to make; a distance looks at all planes, and then at the facets that see the point. With a tree,
// which is worth it for large hulls that are asked often, at a few of them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bvh/bvh.hpp"
#include "geometry/half_space.hpp"
#include "hitbox/triangle_mesh.hpp"

namespace hitbox::internal::hulls {

struct PartHull {
  TriangleMesh mesh;
  std::vector<HalfSpace> planes;  // one a triangle; that of a sliver is noise, and never above anything
  Bounds box;
  double volume = 0;
  std::shared_ptr<const TriangleBvh> tree;  // over the triangles, if `plant` was called and they are many

  void plant();
  // Largest distance of p above a plane: at most its distance outside, and negative inside.
  double above(const Vec3& p) const;
  // Its nearest point, exactly; p itself inside.
  Vec3 nearest(const Vec3& p) const;
  double distance(const Vec3& p) const { return norm(p - nearest(p)); }
  // Whether p is nearer than `reach`. `last` is the plane that parted the point before from the hull: neighbours
  // are often parted by the same.
  bool is_within(const Vec3& p, double reach, size_t& last) const;
};

// Of at least one point, all finite. Where they extend less than `thickness` in a direction they are spread so far
// both ways.
PartHull part_hull(std::span<const Vec3> points, double thickness);

// The volume of the hull, for comparing: points are moved by up to 1e-7 first. On a plane through a mesh many lie
// exactly in one plane, and to decide on which side of it they are takes most of the time (2.2 s of cutting against 0.9
// s).
double hull_volume(std::span<const Vec3> points);

// At most `count` of the points, those that reach furthest in directions all around; all of them where they are fewer.
std::vector<Vec3> outermost(std::span<const Vec3> points, size_t count);

}  // namespace hitbox::internal::hulls
