// A convex hull given by its surface: closed, outward triangles. A flat hull (the two sides of a polygon) is allowed;
// its distances are never negative. Cost: every function is linear in the triangles, `signed_distance` per point.
#pragma once

#include "hitbox/shapes/interface.hpp"

namespace hitbox {

struct Hull {
  static constexpr Kind kKind = Kind::hull;
  std::vector<Vec3> vertices;
  std::vector<std::array<uint32_t, 3>> triangles;
};

double volume(const Hull& hull);
double area(const Hull& hull);
double mean_curvature(const Hull& hull);
inline size_t nbytes(const Hull& hull) { return 12 * hull.vertices.size() + 6 * hull.triangles.size(); }
Bounds bounds(const Hull& hull);
void signed_distance(const Hull& hull, std::span<const Vec3> points, std::span<double> out);
void support(const Hull& hull, std::span<const Vec3> directions, std::span<Vec3> out);
Vec3 nearest(const Hull& hull, const Vec3& p);
TriangleMesh to_mesh(const Hull& hull, int segments);
Hull grown(const Hull& hull, double by);
Hull shrunk(const Hull& hull, double by, double least);
Hull transformed(const Hull& hull, const Similarity& similarity);
// The box along `frame` around the points, larger by `margin` on each side.
Hull box_around(std::span<const Vec3> points, const Frame& frame, double margin);
static_assert(ConvexShape<Hull>);

}  // namespace hitbox
