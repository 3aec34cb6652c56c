// The true surface of a shape, and its inside, as patches from which points can be drawn uniformly.
//
// Round shapes are not replaced by meshes: a point drawn on a sphere lies on the sphere. A sphere's
// area is uniform in height (Archimedes); a cone's side grows linearly with its radius. An inside is
// cut into wedges from an apex to a patch. On every patch used the apex is equally far from all
// tangent planes (a plane, a cone seen from its axis, a sphere seen from its centre), so that the
// part of a wedge at depth t is its base scaled by t, and uniform points are apex + cbrt(u) (base - apex).
// Cost: one patch a triangle for boxes, prisms and hulls; one to three for round shapes.
#pragma once

#include <vector>

#include "base/rooms.hpp"
#include "hitbox/shapes.hpp"

namespace hitbox::internal::shapes {

struct SurfacePatch {
  enum class Form : uint8_t { triangle, disc, cone, cap };
  Form form = Form::triangle;
  // triangle: its corners. disc: centre, unit normal. cone: the centres of its two circles.
  // cap: the sphere's centre, the unit axis that leaves through the cap's pole.
  Vec3 a, b, c;
  // disc: its radius. cone: the radii at a and b. cap: the radius, and the height from which on the
  // sphere belongs to it: -1 for all of it, 0 for a half.
  double first = 0, second = 0;
  double area = 0;
};

struct SurfacePoint {
  Vec3 point, normal;  // `normal` is a unit vector and looks out
};

// Uniform over the patch for u and v uniform in [0, 1).
SurfacePoint point_on(const SurfacePatch& patch, double u, double v);

// The whole surface; patches without area are left out unless there are no others.
std::vector<SurfacePatch> surface_patches(const Shape& shape);

struct Wedge {
  SurfacePatch base;
  Vec3 apex;
  double volume = 0;
};

// The whole inside; the volumes sum up to the shape's.
std::vector<Wedge> inner_wedges(const Shape& shape);
Vec3 point_in(const Wedge& wedge, double u, double v, double depth);  // all uniform in [0, 1)

}  // namespace hitbox::internal::shapes
