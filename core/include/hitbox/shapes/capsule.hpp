// A capsule: all points within `radius` of a segment.
#pragma once

#include "hitbox/shapes/interface.hpp"

namespace hitbox {

struct Capsule {
  static constexpr Kind kKind = Kind::capsule;
  Vec3 start, end;  // the centres of its caps
  double radius = 0;
};

double volume(const Capsule& capsule);
double area(const Capsule& capsule);
double mean_curvature(const Capsule& capsule);
inline size_t nbytes(const Capsule&) { return 28; }
Bounds bounds(const Capsule& capsule);
void signed_distance(const Capsule& capsule, std::span<const Vec3> points, std::span<double> out);
void support(const Capsule& capsule, std::span<const Vec3> directions, std::span<Vec3> out);
Vec3 nearest(const Capsule& capsule, const Vec3& p);
TriangleMesh to_mesh(const Capsule& capsule, int segments);
Capsule grown(const Capsule& capsule, double by);
Capsule shrunk(const Capsule& capsule, double by, double least);
Capsule transformed(const Capsule& capsule, const Similarity& similarity);
static_assert(ConvexShape<Capsule>);

}  // namespace hitbox
