// The ball around points that sticks out of the mesh least.
//
// A ball of radius r around a point d deep inside a solid sticks out by at most r - d: all of it
// lies within r - d of a ball that is inside. So the best centre is not that of the smallest ball,
// but one that is deep: on the medial axis for points around a limb, under the surface for those
// of a flat side. Outside, where open sheets are, d is the distance with a minus sign, and
// the smallest ball wins.
//
// Always holds: the ball holds all points (but for the trimmed share).
// Cost: some tens of passes over the points, and as many questions to the tree at most.
#pragma once

#include <span>
#include <vector>

#include "geometry/min_ball.hpp"
#include "spheres/depth_grid.hpp"

namespace hitbox::internal::spheres {

struct DeepBall {
  Vec3 center;
  double radius = 0, depth = 0;  // depth: of the centre below the surface; negative outside
  uint32_t group = 0;            // of all faces it is there for

  double sticks_out() const { return radius - depth; }
  double distance(const Vec3& p) const { return norm(p - center) - radius; }  // negative inside
};

class BallFitter {
 public:
  enum class Care : uint8_t {
    rough,  // depths from the grid
    fine    // exact depths, small steps
  };

  BallFitter(const TriangleBvh& surface, const Winding& winding, const DepthGrid& grid)
      : surface_(surface), winding_(winding), grid_(grid) {}

  // Looks around `start`. `trim`: the share of the points, the furthest ones, that may be left
  // outside. At least one point.
  DeepBall around(std::span<const Vec3> points, const Vec3& start, double trim, Care care) const;

  // Of a point below the surface, exact; negative outside.
  double depth(const Vec3& p) const;
  // The distance from the mesh summed up over the ball's surface, where that is outside the mesh and
  // the other balls: what it adds to a union that is too large. Sampled, on the grid.
  double waste(const DeepBall& ball, std::span<const DeepBall> others) const;

 private:
  struct Trial {
    Vec3 center, near;  // `near`: the surface's nearest point
    double depth = 0, reach = 0;

    double sticks_out() const { return reach - depth; }
  };
  class Descent;

  const TriangleBvh& surface_;
  const Winding& winding_;
  const DepthGrid& grid_;
};

}  // namespace hitbox::internal::spheres
