// The true surface of a shape and its inside, as patches that can be sampled uniformly.
//
// Round shapes are not replaced by meshes: a sample on a sphere lies on the sphere. A sphere's area is uniform in
// height (Archimedes), and a cone's circumference grows linearly with its radius. An inside is divided into wedges from
// an apex to a patch. On every patch the apex is equally far from all tangent planes (a plane, a cone seen from its
// axis, a sphere seen from its centre), so the cross section of a wedge at depth t is its base scaled by t, and uniform
// points are apex + cbrt(u) (base - apex). Cost: one patch per triangle for boxes, prisms and hulls, one to three for
// round shapes.
#pragma once

#include <vector>

#include "base/rooms.hpp"
#include "hitbox/shapes.hpp"

namespace hitbox::internal::shapes {

struct SurfacePatch {
  enum class Form : uint8_t { triangle, disc, cone, cap };
  Form form = Form::triangle;
  // triangle: its corners. disc: centre, unit normal. cone: the centres of its two circles. cap: the sphere's centre,
  // and the unit axis through the cap's pole.
  Vec3 a, b, c;
  // disc: its radius. cone: the radii at a and b. cap: the radius, and the height at which it starts: -1 for the whole
  // sphere, 0 for a half.
  double first = 0, second = 0;
  double area = 0;
};

struct SurfacePoint {
  Vec3 point, normal;  // `normal` is a unit vector that points out
};

// A point that is uniform over the patch if u and v are uniform in [0, 1).
SurfacePoint point_on(const SurfacePatch& patch, double u, double v);

// The whole surface, without patches of no area unless there are no others.
std::vector<SurfacePatch> surface_patches(const Shape& shape);

struct Wedge {
  SurfacePatch base;
  Vec3 apex;
  double volume = 0;
};

// The whole inside. The volumes add up to the shape's.
std::vector<Wedge> inner_wedges(const Shape& shape);
Vec3 point_in(const Wedge& wedge, double u, double v, double depth);  // for arguments uniform in [0, 1)

}  // namespace hitbox::internal::shapes
