#include "hitbox/shapes/frustum.hpp"

#include "shapes/axis.hpp"
#include "shapes/trapezoid.hpp"

namespace hitbox {

using namespace internal::shapes;

namespace {

Trapezoid profile_of(const Frustum& frustum, const Axis& axis) {
  return {axis.half_length, frustum.radius_start, frustum.radius_end};
}

}  // namespace

double volume(const Frustum& frustum) {
  const double a = frustum.radius_start, b = frustum.radius_end;
  return kPi / 3 * norm(frustum.end - frustum.start) * (a * a + a * b + b * b);
}

double area(const Frustum& frustum) {
  const double a = frustum.radius_start, b = frustum.radius_end;
  const double side = profile_of(frustum, axis_of(frustum.start, frustum.end)).side();
  return kPi * (a + b) * side + kPi * (a * a + b * b);
}

// The smooth side contributes pi x height for any slope: its curvature is cos(tilt) / radius, and cos(tilt) x side is
// the height. A rim contributes half its length times its bending angle.
double mean_curvature(const Frustum& frustum) {
  const double a = frustum.radius_start, b = frustum.radius_end;
  const double height = norm(frustum.end - frustum.start), tilt = std::atan2(a - b, height);
  return kPi * height + kPi * a * (kPi / 2 + tilt) + kPi * b * (kPi / 2 - tilt);
}

Bounds bounds(const Frustum& frustum) {
  const Axis axis = axis_of(frustum.start, frustum.end);
  Bounds result = disc_bounds(frustum.start, axis.direction, frustum.radius_start);
  result.add(disc_bounds(frustum.end, axis.direction, frustum.radius_end));
  return result;
}

void signed_distance(const Frustum& frustum, std::span<const Vec3> points, std::span<double> out) {
  const Axis axis = axis_of(frustum.start, frustum.end);
  const Trapezoid profile = profile_of(frustum, axis);
  for (size_t k = 0; k < points.size(); ++k) {
    const Axis::Local p = axis.to_local(points[k]);
    out[k] = signed_distance(profile, p.along, p.off);
  }
}

void support(const Frustum& frustum, std::span<const Vec3> directions, std::span<Vec3> out) {
  const Axis axis = axis_of(frustum.start, frustum.end);
  for (size_t k = 0; k < directions.size(); ++k) {
    const Vec3& d = directions[k];
    const Vec3 outward = radial(axis.direction, d);
    const Vec3 at_start = frustum.start + outward * frustum.radius_start;
    const Vec3 at_end = frustum.end + outward * frustum.radius_end;
    out[k] = dot(at_end - at_start, d) < 0 ? at_start : at_end;
  }
}

Vec3 nearest(const Frustum& frustum, const Vec3& p) {
  const Axis axis = axis_of(frustum.start, frustum.end);
  const Axis::Local local = axis.to_local(p);
  const auto [along, off] = nearest(profile_of(frustum, axis), local.along, local.off);
  return along == local.along && off == local.off ? p : axis.at(along) + radial(axis.direction, p - axis.center) * off;
}

TriangleMesh to_mesh(const Frustum& frustum, int segments) {
  const Axis axis = axis_of(frustum.start, frustum.end);
  const double h = axis.half_length;
  return revolve(axis, {{-h, frustum.radius_start}, {h, frustum.radius_end}}, segments);
}

Frustum grown(const Frustum& frustum, double by) {
  const Axis axis = axis_of(frustum.start, frustum.end);
  const Trapezoid profile = grown(profile_of(frustum, axis), by);
  return {frustum.start - axis.direction * by, frustum.end + axis.direction * by, profile.bottom, profile.top};
}

Frustum shrunk(const Frustum& frustum, double by, double least) {
  const Axis axis = axis_of(frustum.start, frustum.end);
  const ShrunkTrapezoid inner = shrunk(profile_of(frustum, axis), by, least);
  return {axis.at(inner.middle - inner.profile.half_height), axis.at(inner.middle + inner.profile.half_height),
          inner.profile.bottom, inner.profile.top};
}

Frustum transformed(const Frustum& frustum, const Similarity& similarity) {
  return {similarity.apply(frustum.start), similarity.apply(frustum.end), frustum.radius_start * similarity.scale,
          frustum.radius_end * similarity.scale};
}

}  // namespace hitbox
