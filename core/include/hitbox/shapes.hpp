// The seven shapes, held as one variant. Each is a plain struct in a header of its own, behind the
// concept of interface.hpp. CONTRIBUTING.md shows how to add one.
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
// Integral of the mean curvature: volume grown by c is V + S c + M c^2 + 4/3 pi c^3 (Steiner).
double mean_curvature(const Shape& shape);
size_t nbytes(const Shape& shape);  // paper 1, Table 1
Bounds bounds(const Shape& shape);  // tight

// Exact Euclidean distance to the surface, negative inside.
void signed_distance(const Shape& shape, std::span<const Vec3> points, std::span<double> out);
// The point of the shape furthest along each direction, which need not be a unit vector.
void support(const Shape& shape, std::span<const Vec3> directions, std::span<Vec3> out);
// Closed, outward triangles, `segments` (at least 3) around the axis of a round shape. Round shapes
// are circumscribed: the mesh encloses the shape, and each of its facets touches it.
TriangleMesh to_mesh(const Shape& shape, int segments);
// A shape of the same kind that holds everything within `by` (at least 0) of this one.
Shape grown(const Shape& shape, double by);
// A shape of the same kind inside this one: sides move in by `by` (at least 0), but no half extent or
// radius becomes less than `least`, or less at all where it is so already.
// For engines that put a margin around every shape: the shape and all within `by` of it then is what
// can be touched. Where `least` did not stop a side, that is never outside the shape given, reaches
// all its sides, and leaves out what is near its edges and corners: of a box up to (sqrt 2 - 1) x by
// at an edge and (sqrt 3 - 1) x by at a corner, of a tip of half angle a (1 / sin a - 1) x by.
// Points enclosed there may stick out by as much. Spheres and capsules have neither: nothing is left out.
Shape shrunk(const Shape& shape, double by, double least);
// Grown by `by`, or shrunk by as much where it is negative.
Shape padded(const Shape& shape, double by, double least);
Shape transformed(const Shape& shape, const Similarity& similarity);

}  // namespace hitbox
