// The seven shapes: plain structs behind one concept, held as a variant.
//
// Every shape has: kKind, volume, area, mean_curvature, nbytes, bounds, signed_distance, support,
// to_mesh, grow, transformed. CONTRIBUTING.md shows how to add one.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "../base/bounds.hpp"
#include "../base/mat3.hpp"
#include "../base/vec3.hpp"
#include "../geometry/triangle_mesh.hpp"

namespace hitbox {

enum class Kind : uint8_t { box, sphere, capsule, cylinder, frustum, prism, hull };
constexpr int kKindCount = 7;
constexpr std::array<std::string_view, kKindCount> kKindNames = {
    "box", "sphere", "capsule", "cylinder", "frustum", "prism", "hull"};

// x -> scale * rotate(x) + translation
struct Similarity {
  Quaternion rotation;
  Vec3 translation;
  double scale = 1;

  Vec3 apply(const Vec3& p) const { return to_frame(rotation).to_world(p) * scale + translation; }
};

struct Box {
  static constexpr Kind kKind = Kind::box;
  Vec3 center;
  Quaternion rotation;
  Vec3 half_extents;
};

struct Sphere {
  static constexpr Kind kKind = Kind::sphere;
  Vec3 center;
  double radius = 0;
};

struct Capsule {  // all points within `radius` of the segment
  static constexpr Kind kKind = Kind::capsule;
  Vec3 start, end;
  double radius = 0;
};

struct Cylinder {  // `start`, `end`: the centres of its discs
  static constexpr Kind kKind = Kind::cylinder;
  Vec3 start, end;
  double radius = 0;
};

struct Frustum {  // a cone cut off at both ends; one radius may be 0
  static constexpr Kind kKind = Kind::frustum;
  Vec3 start, end;
  double radius_start = 0, radius_end = 0;
};

// |x| <= half_x, |y| <= half_y, |z| <= the line from half_bottom at y = -half_y to half_top at
// y = +half_y.
struct Prism {
  static constexpr Kind kKind = Kind::prism;
  Vec3 center;
  Quaternion rotation;
  double half_x = 0, half_y = 0, half_top = 0, half_bottom = 0;
};

struct Hull {
  static constexpr Kind kKind = Kind::hull;
  std::vector<Vec3> vertices;
  std::vector<std::array<uint32_t, 3>> triangles;
};

using Shape = std::variant<Box, Sphere, Capsule, Cylinder, Frustum, Prism, Hull>;

inline Kind kind_of(const Shape& shape) { return static_cast<Kind>(shape.index()); }
double volume(const Shape& shape);
double area(const Shape& shape);
// Integral of the mean curvature: volume grown by c is V + S c + M c^2 + 4/3 pi c^3 (Steiner).
// Exact but for frustum and hull, where the sharp edges' angles are summed.
double mean_curvature(const Shape& shape);
size_t nbytes(const Shape& shape);  // paper 1, Table 1
Bounds bounds(const Shape& shape);

// Exact Euclidean distance to the surface, negative inside.
void signed_distance(const Shape& shape, std::span<const Vec3> points, std::span<double> out);
// The point of the shape furthest along each direction.
void support(const Shape& shape, std::span<const Vec3> directions, std::span<Vec3> out);
// Closed, outward triangles. Round shapes are circumscribed: the mesh encloses the shape.
TriangleMesh to_mesh(const Shape& shape, int segments);
// A shape of the same kind that holds everything within `by` of this one.
Shape grown(const Shape& shape, double by);
Shape transformed(const Shape& shape, const Similarity& similarity);

}  // namespace hitbox
