// An isosceles trapezoidal prism. One of its two widths may be 0: a wedge.
#pragma once

#include "hitbox/shapes/interface.hpp"

namespace hitbox {

// |x| <= half_x, |y| <= half_y, and |z| <= the line from half_bottom at y = -half_y to half_top at y = +half_y.
struct Prism {
  static constexpr Kind kKind = Kind::prism;
  Vec3 center;
  Quaternion rotation;
  double half_x = 0, half_y = 0, half_top = 0, half_bottom = 0;
};

double volume(const Prism& prism);
double area(const Prism& prism);
double mean_curvature(const Prism& prism);
inline size_t nbytes(const Prism&) { return 44; }
Bounds bounds(const Prism& prism);
void signed_distance(const Prism& prism, std::span<const Vec3> points, std::span<double> out);
void support(const Prism& prism, std::span<const Vec3> directions, std::span<Vec3> out);
Vec3 nearest(const Prism& prism, const Vec3& p);
TriangleMesh to_mesh(const Prism& prism, int segments);
Prism grown(const Prism& prism, double by);
Prism shrunk(const Prism& prism, double by, double least);
Prism transformed(const Prism& prism, const Similarity& similarity);
static_assert(ConvexShape<Prism>);

}  // namespace hitbox
