// Balls that together hold every point of every face, proved on pieces: each face is cut until each
// piece lies in one single ball, which its three corners show.
//
// Where two balls meet, pieces would have to be infinitely small; there the ball that needs least
// grows by a fraction of the smallest piece. Then balls take turns to let go of what others hold.
//
// Always holds: each piece's corners are in one ball, by the very numbers that are returned. Same
// balls for any number of threads.
// Cost: balls x pieces / 64, and some pieces more than the mesh has triangles.
#pragma once

#include <optional>

#include "hitbox/mesh.hpp"
#include "spheres/ball_fitter.hpp"

namespace hitbox::internal::spheres {

struct FaceFragment {
  std::array<Vec3, 3> corners;
  uint32_t face;
  uint32_t group = 0;  // only balls of the same may hold it
};

struct Covered {
  std::vector<DeepBall> balls;
  std::vector<FaceFragment> pieces;
};

// Cut in two across its longest edge, if that is longer than `finest`.
std::optional<std::array<FaceFragment, 2>> halves_of(const FaceFragment& piece, double finest);

// The faces in pieces, each in one ball or with edges no longer than `finest`; along a Morton curve.
// `group_of_face`: empty, or one a face.
std::vector<FaceFragment> cut_to_balls(const MeshView& mesh, std::span<const uint32_t> group_of_face,
                                       std::span<const DeepBall> balls, double finest, Run& run);

// The ball that holds a piece best, or misses it least; ties by number. Each group has a ball.
std::vector<uint32_t> best_balls(std::span<const FaceFragment> pieces, std::span<const DeepBall> balls, Run& run);

// Grows balls until each piece lies in one.
void grow_to_hold(std::span<const FaceFragment> pieces, std::vector<DeepBall>& balls, Run& run);

// The same, then moves and shrinks balls in turn. Those that hold nothing of their own are taken out.
void cover(std::span<const FaceFragment> pieces, std::vector<DeepBall>& balls, const BallFitter& fitter, Run& run);

}  // namespace hitbox::internal::spheres
