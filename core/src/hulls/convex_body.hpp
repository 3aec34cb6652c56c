// A convex shape of any kind, for repeated queries of its nearest point.
#pragma once

#include <optional>

#include "hitbox/shapes.hpp"
#include "hulls/part_hull.hpp"

namespace hitbox::internal::hulls {

class ConvexBody {
 public:
  // The shape has a size of about 1. A flat hull is thickened by a millionth of that, so that its sides are facets.
  explicit ConvexBody(Shape shape) : box(bounds(shape)), shape_(std::move(shape)) {
    constexpr double kThickness = 1e-6;
    if (const Hull* hull = std::get_if<Hull>(&shape_)) {
      hull_ = part_hull(hull->vertices, kThickness);
      hull_->plant();
    }
  }

  Vec3 nearest(const Vec3& p) const { return hull_ ? hull_->nearest(p) : hitbox::nearest(shape_, p); }
  double distance(const Vec3& p) const { return norm(p - nearest(p)); }
  // Whether p is nearer than `reach`. `last` is explained in part_hull.hpp.
  bool is_within(const Vec3& p, double reach, size_t& last) const {
    if (hull_) return hull_->is_within(p, reach, last);
    return distance_sq(box, p) < reach * reach && distance(p) < reach;
  }

  Bounds box;

 private:
  Shape shape_;
  std::optional<PartHull> hull_;  // instead of a shape that is a hull
};

}  // namespace hitbox::internal::hulls
