// The surfaces of shapes, divided into patches that can be halved without end. The convex hull of a few points contains
// each patch.
//
// There are three kinds: a flat triangle, a window of a cone (angle by slant, also for cylinders and discs), and a
// window of a ball (angle by latitude). An arc of half angle h lies in the triangle of its ends and the intersection of
// its end tangents. So a window of a cone lies in the hull of 2 x 3 points, a window of a ball in that of 3 x 3.
//
// Always holds for every convex function f: over the patch f is at most the largest f(point), and its mean by area is
// at most the sum of weight x f(point). Patches lie on the true surfaces and together cover them once, except for hull
// triangles without area (1e-12 of the hull).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "hitbox/shapes.hpp"
#include "shapes/axis.hpp"

namespace hitbox::internal::measure {

struct Facet {
  Vec3 a, b, c;
};

struct Window {
  uint32_t piece;
  double from, to;              // fractions of the slant, 0 to 1; for a ball: latitudes
  double angle_from, angle_to;  // around the axis, at most a quarter turn apart
};

struct Patch {
  uint32_t shape;
  std::variant<Facet, Window> where;
};

struct PatchHull {
  Vec3 center;  // a point on the surface
  double area;
  double mean_reach;  // upper bound of the mean distance of the patch's points from `center`
  int count;
  std::array<Vec3, 9> points;
  std::array<double, 9> weights;

  std::span<const Vec3> hull() const { return {points.data(), static_cast<size_t>(count)}; }
  double reach() const {  // upper bound of the distance of the patch's points from `center`
    double reach = 0;
    for (const Vec3& p : hull()) reach = std::max(reach, norm(p - center));
    return reach;
  }
};

class Surfaces {
 public:
  explicit Surfaces(std::span<const Shape> shapes);

  std::span<const Patch> patches() const { return patches_; }
  // The hull of the patch after moving outward along its normals by `offset`. The weights are those of offset 0.
  PatchHull hull_of(const Patch& patch, double offset = 0) const;
  std::array<Patch, 2> halves_of(const Patch& patch) const;

 private:
  struct Piece {  // a surface of revolution about center + along * direction
    Vec3 center, direction, u, v;
    bool is_ball;
    double along_start, radius_start, along_end, radius_end;  // for a ball both radii are its radius
  };

  void add(uint32_t shape, const Box& box);
  void add(uint32_t shape, const Sphere& sphere);
  void add(uint32_t shape, const Capsule& capsule);
  void add(uint32_t shape, const Cylinder& cylinder);
  void add(uint32_t shape, const Frustum& frustum);
  void add(uint32_t shape, const Prism& prism);
  void add(uint32_t shape, const Hull& hull);
  void add_facets(uint32_t shape, const TriangleMesh& mesh);
  void add_cone(uint32_t shape, const Axis& axis, double along_start, double radius_start, double along_end,
                double radius_end);
  void add_ball(uint32_t shape, const Axis& axis, double along, double radius, double from, double to);
  void add_quarters(uint32_t shape, double from, double to);
  PatchHull cone_hull(const Window& window, double offset) const;
  PatchHull ball_hull(const Window& window, double offset) const;

  std::vector<Piece> pieces_;
  std::vector<Patch> patches_;
};

}  // namespace hitbox::internal::measure
