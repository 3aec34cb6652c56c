// A frustum: a truncated cone. One radius may be 0.
#pragma once

#include "hitbox/shapes/interface.hpp"

namespace hitbox {

struct Frustum {
  static constexpr Kind kKind = Kind::frustum;
  Vec3 start, end;  // the centres of its discs
  double radius_start = 0, radius_end = 0;
};

double volume(const Frustum& frustum);
double area(const Frustum& frustum);
double mean_curvature(const Frustum& frustum);
inline size_t nbytes(const Frustum&) { return 32; }
Bounds bounds(const Frustum& frustum);
void signed_distance(const Frustum& frustum, std::span<const Vec3> points, std::span<double> out);
void support(const Frustum& frustum, std::span<const Vec3> directions, std::span<Vec3> out);
Vec3 nearest(const Frustum& frustum, const Vec3& p);
TriangleMesh to_mesh(const Frustum& frustum, int segments);
Frustum grown(const Frustum& frustum, double by);
Frustum shrunk(const Frustum& frustum, double by, double least);
Frustum transformed(const Frustum& frustum, const Similarity& similarity);
static_assert(ConvexShape<Frustum>);

}  // namespace hitbox
