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

#include "../mesh/mesh.hpp"
#include "ball_fitter.hpp"

namespace hitbox {

struct Piece {
  std::array<Vec3, 3> corners;
  uint32_t face;
};

// The faces in pieces, each in one ball or with edges no longer than `finest`; along a Morton curve.
std::vector<Piece> cut_to_balls(const MeshView& mesh, std::span<const DeepBall> balls, double finest,
                                Run& run);

// The ball that holds a piece best, or misses it least; ties by number.
std::vector<uint32_t> best_balls(std::span<const Piece> pieces, std::span<const DeepBall> balls, Run& run);

// Grows balls until each piece lies in one.
void grow_to_hold(std::span<const Piece> pieces, std::vector<DeepBall>& balls, Run& run);

// The same, then moves and shrinks balls in turn. Those that hold nothing of their own are taken out.
void cover(std::span<const Piece> pieces, std::vector<DeepBall>& balls, const BallFitter& fitter, Run& run);

}  // namespace hitbox
