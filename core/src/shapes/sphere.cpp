#include "hitbox/shapes/sphere.hpp"

#include "shapes/axis.hpp"

namespace hitbox {

using namespace internal::shapes;

double volume(const Sphere& sphere) { return 4.0 / 3 * kPi * sphere.radius * sphere.radius * sphere.radius; }

double area(const Sphere& sphere) { return 4 * kPi * sphere.radius * sphere.radius; }

double mean_curvature(const Sphere& sphere) { return 4 * kPi * sphere.radius; }

Bounds bounds(const Sphere& sphere) {
  Bounds result{sphere.center, sphere.center};
  result.grow(sphere.radius);
  return result;
}

void signed_distance(const Sphere& sphere, std::span<const Vec3> points, std::span<double> out) {
  for (size_t k = 0; k < points.size(); ++k) out[k] = norm(points[k] - sphere.center) - sphere.radius;
}

void support(const Sphere& sphere, std::span<const Vec3> directions, std::span<Vec3> out) {
  for (size_t k = 0; k < directions.size(); ++k) out[k] = sphere.center + normalized(directions[k]) * sphere.radius;
}

Vec3 nearest(const Sphere& sphere, const Vec3& p) {
  const Vec3 away = p - sphere.center;
  const double distance = norm(away);
  return distance <= sphere.radius ? p : sphere.center + away * (sphere.radius / distance);
}

TriangleMesh to_mesh(const Sphere& sphere, int segments) {
  const Axis axis{sphere.center, {0, 0, 1}, 0};
  return revolve(axis, capsule_profile(0, sphere.radius, segments), segments);
}

Sphere grown(const Sphere& sphere, double by) { return {sphere.center, sphere.radius + by}; }

Sphere shrunk(const Sphere& sphere, double by, double least) {
  return {sphere.center, shrunk_size(sphere.radius, by, least)};
}

Sphere transformed(const Sphere& sphere, const Similarity& similarity) {
  return {similarity.apply(sphere.center), sphere.radius * similarity.scale};
}

}  // namespace hitbox
