// Points of a surface, shared out among balls: each ball is the one around its points that sticks out least.
//
// What is kept small is the distance from the mesh, summed up over the outer surface of all balls together.
// All points of a group are in one ball at first. Those balls are split that stick out most; then points move,
// and balls are merged and split, as long as that helps.
// Always holds: at most `count` balls (at least one a group), and a ball has points of one group only. Same
// balls for any number of threads.
#pragma once

#include "hitbox/run.hpp"
#include "spheres/ball_fitter.hpp"

namespace hitbox::internal::spheres {

struct SharedPoints {
  std::vector<Vec3> points;
  std::vector<uint32_t> group;  // empty: all of one
  uint32_t group_count = 1;     // each has a point
  double area = 0;              // of the surface they stand for
};

// From `start` on, or from nothing where it is empty. `trim`: the share of its points that a ball may leave out.
std::vector<DeepBall> share_out(const SharedPoints& points, size_t count, std::span<const DeepBall> start,
                                const BallFitter& fitter, double trim, Run& run);

}  // namespace hitbox::internal::spheres
