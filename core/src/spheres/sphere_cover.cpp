#include "spheres/sphere_cover.hpp"

#include <algorithm>

#include "geometry/morton.hpp"
#include "mesh/triangulate.hpp"

namespace hitbox::internal::spheres {

namespace {

constexpr size_t kBlock = 1024;
constexpr size_t kChunk = 64;  // fragments that are tested or skipped together
constexpr int kTurns = 4;      // rounds over all balls; more gain little

double worst_distance(const DeepBall& ball, const FaceFragment& piece) {
  if (ball.group != piece.group) return Bounds::kInfinity;
  double most = 0;
  for (const Vec3& p : piece.corners) most = std::max(most, norm_sq(p - ball.center));
  return std::sqrt(most) - ball.radius;
}

bool holds(const DeepBall& ball, const FaceFragment& piece) {
  return ball.group == piece.group &&
         std::ranges::all_of(piece.corners, [&](const Vec3& p) { return ball.distance(p) <= 0; });
}

void cut(const FaceFragment& whole, std::span<const DeepBall> balls, double finest, std::vector<FaceFragment>& out) {
  std::vector<FaceFragment> stack{whole};
  size_t guess = 0;  // neighbours are usually in the same ball
  while (!stack.empty()) {
    const FaceFragment piece = stack.back();
    stack.pop_back();
    const auto halves = halves_of(piece, finest);
    bool held = !halves || holds(balls[guess], piece);
    for (size_t k = 0; k < balls.size() && !held; ++k)
      if (holds(balls[k], piece)) {
        held = true;
        guess = k;
      }
    if (held) {
      out.push_back(piece);
    } else {
      for (const FaceFragment& half : *halves) stack.push_back(half);
    }
  }
}

// The fragments in each ball, updated as balls change.
class Holders {
 public:
  Holders(std::span<const FaceFragment> pieces, std::span<const DeepBall> balls)
      : pieces_(pieces), count_(pieces.size()) {
    for (size_t first = 0; first < pieces.size(); first += kChunk) {
      Bounds box;
      for (const FaceFragment& piece : pieces.subspan(first, std::min(kChunk, pieces.size() - first)))
        for (const Vec3& p : piece.corners) box.add(p);
      boxes_.push_back(box);
    }
    for (const DeepBall& ball : balls) change(ball, 1);
  }

  void replace(const DeepBall& old, const DeepBall& fresh) {
    change(old, -1);
    change(fresh, 1);
  }
  void remove(const DeepBall& ball) { change(ball, -1); }

  // The corners of the fragments that only this ball contains.
  std::vector<Vec3> relying_on(const DeepBall& ball) const {
    std::vector<Vec3> corners;
    each_near(ball, [&](size_t k) {
      if (count_[k] == 1 && holds(ball, pieces_[k]))
        corners.insert(corners.end(), pieces_[k].corners.begin(), pieces_[k].corners.end());
    });
    return corners;
  }

 private:
  void change(const DeepBall& ball, int by) {
    each_near(ball, [&](size_t k) {
      if (holds(ball, pieces_[k])) count_[k] += by;
    });
  }
  template <class Visit>
  void each_near(const DeepBall& ball, Visit&& visit) const {
    for (size_t chunk = 0; chunk < boxes_.size(); ++chunk) {
      if (distance_sq(boxes_[chunk], ball.center) > ball.radius * ball.radius * (1 + 1e-9)) continue;
      const size_t last = std::min(pieces_.size(), (chunk + 1) * kChunk);
      for (size_t k = chunk * kChunk; k < last; ++k) visit(k);
    }
  }

  std::span<const FaceFragment> pieces_;
  std::vector<int> count_;
  std::vector<Bounds> boxes_;  // one per chunk
};

}  // namespace

std::optional<std::array<FaceFragment, 2>> halves_of(const FaceFragment& piece, double finest) {
  std::array<double, 3> edges;
  for (size_t k = 0; k < 3; ++k) edges[k] = norm_sq(piece.corners[(k + 1) % 3] - piece.corners[k]);
  const auto longest = static_cast<size_t>(std::ranges::max_element(edges) - edges.begin());
  if (!(edges[longest] > finest * finest)) return {};
  const Vec3 &a = piece.corners[longest], &b = piece.corners[(longest + 1) % 3], &c = piece.corners[(longest + 2) % 3];
  const Vec3 middle = a * 0.5 + b * 0.5;
  return {
      {FaceFragment{{a, middle, c}, piece.face, piece.group}, FaceFragment{{middle, b, c}, piece.face, piece.group}}};
}

std::vector<FaceFragment> cut_to_balls(const MeshView& mesh, std::span<const uint32_t> group_of_face,
                                       std::span<const DeepBall> balls, double finest, Run& run) {
  std::vector<std::vector<FaceFragment>> blocks((mesh.face_count() + kBlock - 1) / kBlock);
  run.for_each_block(mesh.face_count(), kBlock, [&](size_t first, size_t last, size_t block) {
    for (auto f = static_cast<uint32_t>(first); f < last; ++f)
      for_each_triangle(mesh.vertices, mesh.face(f), [&](uint32_t a, uint32_t b, uint32_t c) {
        const uint32_t group = group_of_face.empty() ? 0 : group_of_face[f];
        cut({{mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]}, f, group}, balls, finest, blocks[block]);
      });
  });
  std::vector<FaceFragment> pieces;
  for (const auto& block : blocks) pieces.insert(pieces.end(), block.begin(), block.end());
  std::vector<Vec3> centers;
  centers.reserve(pieces.size());
  for (const FaceFragment& piece : pieces)
    centers.push_back((piece.corners[0] + piece.corners[1] + piece.corners[2]) / 3);
  std::vector<FaceFragment> sorted;
  sorted.reserve(pieces.size());
  for (const uint32_t k : morton_order(centers)) sorted.push_back(pieces[k]);
  return sorted;
}

std::vector<uint32_t> best_balls(std::span<const FaceFragment> pieces, std::span<const DeepBall> balls, Run& run) {
  std::vector<uint32_t> best(pieces.size());
  run.for_each_block(pieces.size(), kBlock, [&](size_t first, size_t last, size_t) {
    for (size_t k = first; k < last; ++k) {
      double least = Bounds::kInfinity;
      for (uint32_t b = 0; b < balls.size(); ++b)
        if (const double d = worst_distance(balls[b], pieces[k]); d < least) {
          least = d;
          best[k] = b;
        }
    }
  });
  return best;
}

void grow_to_hold(std::span<const FaceFragment> pieces, std::vector<DeepBall>& balls, Run& run) {
  const std::vector<uint32_t> best = best_balls(pieces, balls, run);
  std::vector<double> radius(balls.size(), 0);
  for (size_t k = 0; k < balls.size(); ++k) radius[k] = balls[k].radius;
  for (size_t k = 0; k < pieces.size(); ++k)
    for (const Vec3& p : pieces[k].corners)
      radius[best[k]] = std::max(radius[best[k]], norm(p - balls[best[k]].center));
  for (size_t k = 0; k < balls.size(); ++k) balls[k].radius = radius[k];
}

void cover(std::span<const FaceFragment> pieces, std::vector<DeepBall>& balls, const BallFitter& fitter, Run& run) {
  grow_to_hold(pieces, balls, run);
  Holders holders(pieces, balls);
  std::vector<bool> gone(balls.size(), false);
  for (int turn = 0; turn < kTurns; ++turn) {
    for (size_t k = 0; k < balls.size(); ++k) {
      run.advance((turn + static_cast<double>(k) / static_cast<double>(balls.size())) / kTurns);
      if (gone[k]) continue;
      const std::vector<Vec3> own = holders.relying_on(balls[k]);
      if (own.empty()) {
        holders.remove(balls[k]);
        gone[k] = true;
        continue;
      }
      DeepBall better = fitter.around(own, balls[k].center, 0, BallFitter::Care::fine);
      better.group = balls[k].group;
      if (!(better.sticks_out() < balls[k].sticks_out())) continue;
      holders.replace(balls[k], better);
      balls[k] = better;
    }
  }
  size_t kept = 0;
  for (size_t k = 0; k < balls.size(); ++k)
    if (!gone[k]) balls[kept++] = balls[k];
  balls.resize(kept);
}

}  // namespace hitbox::internal::spheres
