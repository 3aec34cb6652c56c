// A sphere.
#pragma once

#include "hitbox/shapes/interface.hpp"

namespace hitbox {

struct Sphere {
  static constexpr Kind kKind = Kind::sphere;
  Vec3 center;
  double radius = 0;
};

double volume(const Sphere& sphere);
double area(const Sphere& sphere);
double mean_curvature(const Sphere& sphere);
inline size_t nbytes(const Sphere&) { return 16; }
Bounds bounds(const Sphere& sphere);
void signed_distance(const Sphere& sphere, std::span<const Vec3> points, std::span<double> out);
void support(const Sphere& sphere, std::span<const Vec3> directions, std::span<Vec3> out);
Vec3 nearest(const Sphere& sphere, const Vec3& p);
TriangleMesh to_mesh(const Sphere& sphere, int segments);
Sphere grown(const Sphere& sphere, double by);
Sphere shrunk(const Sphere& sphere, double by, double least);
Sphere transformed(const Sphere& sphere, const Similarity& similarity);
static_assert(ConvexShape<Sphere>);

}  // namespace hitbox
