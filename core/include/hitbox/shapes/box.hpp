// An oriented box.
#pragma once

#include "hitbox/shapes/interface.hpp"

namespace hitbox {

struct Box {
  static constexpr Kind kKind = Kind::box;
  Vec3 center;
  Quaternion rotation;
  Vec3 half_extents;
};

double volume(const Box& box);
double area(const Box& box);
double mean_curvature(const Box& box);
inline size_t nbytes(const Box&) { return 40; }
Bounds bounds(const Box& box);
void signed_distance(const Box& box, std::span<const Vec3> points, std::span<double> out);
void support(const Box& box, std::span<const Vec3> directions, std::span<Vec3> out);
Vec3 nearest(const Box& box, const Vec3& p);
TriangleMesh to_mesh(const Box& box, int segments);
Box grown(const Box& box, double by);
Box shrunk(const Box& box, double by, double least);
Box transformed(const Box& box, const Similarity& similarity);
static_assert(ConvexShape<Box>);

}  // namespace hitbox
