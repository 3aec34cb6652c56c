#include "hitbox/shapes/capsule.hpp"

#include "hitbox/shapes/sphere.hpp"
#include "shapes/axis.hpp"

namespace hitbox {

using namespace internal::shapes;

double volume(const Capsule& capsule) {
  const double r = capsule.radius, length = norm(capsule.end - capsule.start);
  return kPi * r * r * (length + 4.0 / 3 * r);
}

double area(const Capsule& capsule) {
  return 2 * kPi * capsule.radius * (norm(capsule.end - capsule.start) + 2 * capsule.radius);
}

double mean_curvature(const Capsule& capsule) {
  return kPi * norm(capsule.end - capsule.start) + 4 * kPi * capsule.radius;
}

Bounds bounds(const Capsule& capsule) {
  Bounds result{min(capsule.start, capsule.end), max(capsule.start, capsule.end)};
  result.grow(capsule.radius);
  return result;
}

void signed_distance(const Capsule& capsule, std::span<const Vec3> points, std::span<double> out) {
  const Axis axis = axis_of(capsule.start, capsule.end);
  for (size_t k = 0; k < points.size(); ++k) {
    const Axis::Local p = axis.to_local(points[k]);
    const double beyond = std::max(std::abs(p.along) - axis.half_length, 0.0);
    out[k] = std::sqrt(beyond * beyond + p.off * p.off) - capsule.radius;
  }
}

void support(const Capsule& capsule, std::span<const Vec3> directions, std::span<Vec3> out) {
  const Vec3 along = capsule.end - capsule.start;
  for (size_t k = 0; k < directions.size(); ++k) {
    const Vec3& cap = dot(along, directions[k]) < 0 ? capsule.start : capsule.end;
    out[k] = cap + normalized(directions[k]) * capsule.radius;
  }
}

Vec3 nearest(const Capsule& capsule, const Vec3& p) {
  const Axis axis = axis_of(capsule.start, capsule.end);
  const double along = std::clamp(axis.to_local(p).along, -axis.half_length, axis.half_length);
  return nearest(Sphere{axis.at(along), capsule.radius}, p);
}

TriangleMesh to_mesh(const Capsule& capsule, int segments) {
  const Axis axis = axis_of(capsule.start, capsule.end);
  return revolve(axis, capsule_profile(axis.half_length, capsule.radius, segments), segments);
}

Capsule grown(const Capsule& capsule, double by) { return {capsule.start, capsule.end, capsule.radius + by}; }

Capsule shrunk(const Capsule& capsule, double by, double least) {
  return {capsule.start, capsule.end, shrunk_size(capsule.radius, by, least)};
}

Capsule transformed(const Capsule& capsule, const Similarity& similarity) {
  return {similarity.apply(capsule.start), similarity.apply(capsule.end), capsule.radius * similarity.scale};
}

}  // namespace hitbox
