// Finds the ball around points that sticks out of the mesh least.
//
// A ball of radius r around a point at depth d inside a solid sticks out by at most r - d, because all of it lies
// within r - d of a ball that is inside. So the best centre is not that of the smallest ball, but a deep one: on the
// medial axis for points around a limb, below the surface for points of a flat side. Outside, as on open sheets, d is
// the negative distance, and the smallest ball wins.
//
// Always holds: the ball contains all points (except for the trimmed share).
// Cost: a few tens of passes over the points, and at most as many queries of the tree.
#pragma once

#include <span>
#include <vector>

#include "geometry/min_ball.hpp"
#include "spheres/depth_grid.hpp"

namespace hitbox::internal::spheres {

struct DeepBall {
  Vec3 center;
  double radius = 0, depth = 0;  // depth of the centre below the surface; negative outside
  uint32_t group = 0;            // of all its faces

  double sticks_out() const { return radius - depth; }
  double distance(const Vec3& p) const { return norm(p - center) - radius; }  // negative inside the ball
};

class BallFitter {
 public:
  enum class Care : uint8_t {
    rough,  // depths from the grid
    fine    // exact depths, small steps
  };

  BallFitter(const TriangleBvh& surface, const Winding& winding, const DepthGrid& grid)
      : surface_(surface), winding_(winding), grid_(grid) {}

  // Searches around `start`. `trim` is the share of the points, the furthest ones, that may stay outside. Takes at
  // least one point.
  DeepBall around(std::span<const Vec3> points, const Vec3& start, double trim, Care care) const;

  // The exact depth of a point below the surface; negative outside.
  double depth(const Vec3& p) const;
  // The integral of the distance from the mesh over the ball's surface outside the mesh and the other balls: its
  // contribution to the excess of the union. Sampled on the grid.
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
