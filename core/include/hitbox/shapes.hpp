// The seven shapes as one variant. Each is a plain struct in its own header, and satisfies the concept of
// interface.hpp. CONTRIBUTING.md shows how to add one.
#pragma once

#include <variant>

#include "hitbox/shapes/box.hpp"
#include "hitbox/shapes/capsule.hpp"
#include "hitbox/shapes/cylinder.hpp"
#include "hitbox/shapes/frustum.hpp"
#include "hitbox/shapes/hull.hpp"
#include "hitbox/shapes/interface.hpp"
#include "hitbox/shapes/prism.hpp"
#include "hitbox/shapes/sphere.hpp"

namespace hitbox {

using Shape = std::variant<Box, Sphere, Capsule, Cylinder, Frustum, Prism, Hull>;

inline Kind kind_of(const Shape& shape) { return static_cast<Kind>(shape.index()); }
double volume(const Shape& shape);
double area(const Shape& shape);
// The integral of the mean curvature M: the volume grown by c is V + S c + M c^2 + 4/3 pi c^3 (Steiner).
double mean_curvature(const Shape& shape);
size_t nbytes(const Shape& shape);  // paper 1, Table 1
Bounds bounds(const Shape& shape);  // tight

// The exact Euclidean distance to the surface, negative inside.
void signed_distance(const Shape& shape, std::span<const Vec3> points, std::span<double> out);
// The point of the shape that is furthest along each direction, which need not be a unit vector.
void support(const Shape& shape, std::span<const Vec3> directions, std::span<Vec3> out);
// The point of the shape that is nearest to p: p itself if it is inside.
Vec3 nearest(const Shape& shape, const Vec3& p);
// Closed, outward triangles, with `segments` (at least 3) around the axis of a round shape. Round shapes are
// circumscribed: the mesh encloses the shape, and each of its facets touches it.
TriangleMesh to_mesh(const Shape& shape, int segments);
// A shape of the same kind that contains everything within `by` (at least 0) of this one.
Shape grown(const Shape& shape, double by);
// A shape of the same kind inside this one: sides move in by `by` (at least 0). No half extent or radius becomes less
// than `least`, and one that already is less does not change. This is for engines that put a margin around every shape:
// everything within `by` of the result can be touched. Unless `least` stopped a side, that set lies inside the original
// shape and reaches all its sides. It misses space near edges and corners: for a box up to (sqrt 2 - 1) x by at an edge
// and (sqrt 3 - 1) x by at a corner, for a tip of half angle a (1 / sin a - 1) x by. Enclosed points may stick out by
// as much there. Spheres and capsules have no edges, so nothing is missed.
Shape shrunk(const Shape& shape, double by, double least);
// Grown by `by`, or shrunk if `by` is negative.
Shape padded(const Shape& shape, double by, double least);
Shape transformed(const Shape& shape, const Similarity& similarity);

}  // namespace hitbox
