// Makes balls that together contain every point of every face. The proof uses fragments: each face is cut until each
// fragment lies in a single ball, which its three corners prove.
//
// Where two balls meet, fragments would have to be infinitely small. There the ball that needs least grows by a
// fraction of the smallest fragment. Then balls take turns to release contents of other balls.
//
// Always holds: the corners of each fragment are in one ball, for exactly the returned numbers. The balls are the same
// for any number of threads.
// Cost: balls x fragments / 64, with somewhat more fragments than the mesh has triangles.
#pragma once

#include <optional>

#include "hitbox/mesh.hpp"
#include "spheres/ball_fitter.hpp"

namespace hitbox::internal::spheres {

struct FaceFragment {
  std::array<Vec3, 3> corners;
  uint32_t face;
  uint32_t group = 0;  // only balls of this group may contain it
};

struct Covered {
  std::vector<DeepBall> balls;
  std::vector<FaceFragment> pieces;
};

// Cuts a fragment in two across its longest edge, if that is longer than `finest`.
std::optional<std::array<FaceFragment, 2>> halves_of(const FaceFragment& piece, double finest);

// The fragments of all faces, each in one ball or with edges no longer than `finest`, along a Morton curve.
// `group_of_face` is empty, or has one entry per face.
std::vector<FaceFragment> cut_to_balls(const MeshView& mesh, std::span<const uint32_t> group_of_face,
                                       std::span<const DeepBall> balls, double finest, Run& run);

// The ball that contains a fragment best, or misses it least; ties by number. Each group has a ball.
std::vector<uint32_t> best_balls(std::span<const FaceFragment> pieces, std::span<const DeepBall> balls, Run& run);

// Grows balls until each fragment lies in one.
void grow_to_hold(std::span<const FaceFragment> pieces, std::vector<DeepBall>& balls, Run& run);

// The same, then moves and shrinks balls in turn. Balls without contents of their own are removed.
void cover(std::span<const FaceFragment> pieces, std::vector<DeepBall>& balls, const BallFitter& fitter, Run& run);

}  // namespace hitbox::internal::spheres
