// A capped cylinder.
#pragma once

#include "hitbox/shapes/interface.hpp"

namespace hitbox {

struct Cylinder {
  static constexpr Kind kKind = Kind::cylinder;
  Vec3 start, end;  // the centres of its discs
  double radius = 0;
};

double volume(const Cylinder& cylinder);
double area(const Cylinder& cylinder);
double mean_curvature(const Cylinder& cylinder);
inline size_t nbytes(const Cylinder&) { return 28; }
Bounds bounds(const Cylinder& cylinder);
void signed_distance(const Cylinder& cylinder, std::span<const Vec3> points, std::span<double> out);
void support(const Cylinder& cylinder, std::span<const Vec3> directions, std::span<Vec3> out);
Vec3 nearest(const Cylinder& cylinder, const Vec3& p);
TriangleMesh to_mesh(const Cylinder& cylinder, int segments);
Cylinder grown(const Cylinder& cylinder, double by);
Cylinder shrunk(const Cylinder& cylinder, double by, double least);
Cylinder transformed(const Cylinder& cylinder, const Similarity& similarity);
static_assert(ConvexShape<Cylinder>);

}  // namespace hitbox
