#include "hitbox/shapes/cylinder.hpp"

#include "shapes/axis.hpp"

namespace hitbox {

using namespace internal::shapes;

double volume(const Cylinder& cylinder) {
  return kPi * cylinder.radius * cylinder.radius * norm(cylinder.end - cylinder.start);
}

double area(const Cylinder& cylinder) {
  return 2 * kPi * cylinder.radius * (norm(cylinder.end - cylinder.start) + cylinder.radius);
}

double mean_curvature(const Cylinder& cylinder) {
  return kPi * norm(cylinder.end - cylinder.start) + kPi * kPi * cylinder.radius;
}

Bounds bounds(const Cylinder& cylinder) {
  const Axis axis = axis_of(cylinder.start, cylinder.end);
  Bounds result = disc_bounds(cylinder.start, axis.direction, cylinder.radius);
  result.add(disc_bounds(cylinder.end, axis.direction, cylinder.radius));
  return result;
}

void signed_distance(const Cylinder& cylinder, std::span<const Vec3> points, std::span<double> out) {
  const Axis axis = axis_of(cylinder.start, cylinder.end);
  for (size_t k = 0; k < points.size(); ++k) {
    const Axis::Local p = axis.to_local(points[k]);
    const double along = std::abs(p.along) - axis.half_length, off = p.off - cylinder.radius;
    const double a = std::max(along, 0.0), b = std::max(off, 0.0);
    out[k] = std::sqrt(a * a + b * b) + std::min(std::max(along, off), 0.0);
  }
}

void support(const Cylinder& cylinder, std::span<const Vec3> directions, std::span<Vec3> out) {
  const Axis axis = axis_of(cylinder.start, cylinder.end);
  for (size_t k = 0; k < directions.size(); ++k) {
    const Vec3& disc = dot(axis.direction, directions[k]) < 0 ? cylinder.start : cylinder.end;
    out[k] = disc + radial(axis.direction, directions[k]) * cylinder.radius;
  }
}

Vec3 nearest(const Cylinder& cylinder, const Vec3& p) {
  const Axis axis = axis_of(cylinder.start, cylinder.end);
  const Axis::Local local = axis.to_local(p);
  const double along = std::clamp(local.along, -axis.half_length, axis.half_length);
  const double off = std::min(local.off, cylinder.radius);
  return along == local.along && off == local.off ? p : axis.at(along) + radial(axis.direction, p - axis.center) * off;
}

TriangleMesh to_mesh(const Cylinder& cylinder, int segments) {
  const Axis axis = axis_of(cylinder.start, cylinder.end);
  const double h = axis.half_length;
  return revolve(axis, {{-h, cylinder.radius}, {h, cylinder.radius}}, segments);
}

Cylinder grown(const Cylinder& cylinder, double by) {
  const Vec3 step = axis_of(cylinder.start, cylinder.end).direction * by;
  return {cylinder.start - step, cylinder.end + step, cylinder.radius + by};
}

Cylinder shrunk(const Cylinder& cylinder, double by, double least) {
  const Axis axis = axis_of(cylinder.start, cylinder.end);
  const double h = shrunk_size(axis.half_length, by, least);
  return {axis.at(-h), axis.at(h), shrunk_size(cylinder.radius, by, least)};
}

Cylinder transformed(const Cylinder& cylinder, const Similarity& similarity) {
  return {similarity.apply(cylinder.start), similarity.apply(cylinder.end), cylinder.radius * similarity.scale};
}

}  // namespace hitbox
