// Clusters the points of a surface: each cluster has the ball around its points that sticks out least.
//
// The objective is the distance from the mesh, integrated over the outer surface of all balls. At first all points of a
// group are in one ball. The balls that stick out most are split. Then points move, and balls are merged and split, as
// long as that helps. Always holds: at most `count` balls (at least one per group), each with points of one group only.
// The balls are the same for any number of threads.
#pragma once

#include "hitbox/run.hpp"
#include "spheres/ball_fitter.hpp"

namespace hitbox::internal::spheres {

struct SharedPoints {
  std::vector<Vec3> points;
  std::vector<uint32_t> group;  // empty: one group
  uint32_t group_count = 1;     // each group has a point
  double area = 0;              // area of the surface that they represent
};

// Continues from `start`, or starts anew if it is empty. `trim` is the share of its points that a ball may leave out.
std::vector<DeepBall> share_out(const SharedPoints& points, size_t count, std::span<const DeepBall> start,
                                const BallFitter& fitter, double trim, Run& run);

}  // namespace hitbox::internal::spheres
