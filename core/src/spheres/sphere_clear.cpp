#include "spheres/sphere_clear.hpp"

#include <algorithm>

#include "hitbox/fit_spheres.hpp"

namespace hitbox::internal::spheres {

namespace {

// fraction of the diagonal: the smallest radius of a ball, and half of a fragment's longest edge
constexpr double kSmallest = 0.01;

using Pieces = std::vector<FaceFragment>;

Vec3 center_of(const FaceFragment& piece) { return (piece.corners[0] + piece.corners[1] + piece.corners[2]) / 3; }

// Divides fragments by their centres. A single fragment that is not a point is divided itself.
std::array<Pieces, 2> split(Pieces pieces) {
  if (pieces.size() == 1) {
    const auto halves = halves_of(pieces[0], 0);
    return {Pieces{halves->front()}, Pieces{halves->back()}};
  }
  Bounds box;
  for (const FaceFragment& piece : pieces) box.add(center_of(piece));
  const Vec3 size = box.size();
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  std::ranges::stable_sort(pieces, {}, [&](const FaceFragment& piece) { return center_of(piece)[axis]; });
  const auto middle = pieces.begin() + static_cast<ptrdiff_t>(pieces.size() / 2);
  return {Pieces(pieces.begin(), middle), Pieces(middle, pieces.end())};
}

class Replacing {
 public:
  Replacing(const ToKeepClear& clear, const BallFitter& fitter, Run& run) : clear_(clear), fitter_(fitter), run_(run) {}

  bool enters(const DeepBall& ball) const { return clear_.entered_by(Sphere{ball.center, ball.radius}); }

  void keep(const DeepBall& ball, const Pieces& pieces) {
    result_.balls.push_back(ball);
    result_.pieces.insert(result_.pieces.end(), pieces.begin(), pieces.end());
  }

  void replace(const Pieces& pieces) {
    Pieces free, caught;
    for (const FaceFragment& piece : pieces) sort_out(piece, free, caught);
    if (!caught.empty()) keep(ball_around(caught), caught);
    if (!free.empty()) hold(std::move(free));
  }

  Covered take() { return std::move(result_); }

 private:
  // Fragments that enter the space themselves are stuck. A large one may enter with a small part only.
  void sort_out(const FaceFragment& piece, Pieces& free, Pieces& caught) const {
    if (!clear_.spheres.entered_by(piece.corners)) return free.push_back(piece);
    const auto halves = halves_of(piece, 2 * kSmallest);
    if (!halves) return caught.push_back(piece);
    for (const FaceFragment& half : *halves) sort_out(half, free, caught);
  }

  void hold(Pieces pieces) {
    run_.poll();
    const DeepBall ball = ball_around(pieces);
    const bool is_full = result_.balls.size() >= kMostSpheres;
    if (ball.radius <= kSmallest || is_full || !enters(ball)) return keep(ball, pieces);
    for (Pieces& half : split(std::move(pieces))) hold(std::move(half));
  }

  // The ball that sticks out least, or else the smallest.
  DeepBall ball_around(const Pieces& pieces) const {
    std::vector<Vec3> corners;
    for (const FaceFragment& piece : pieces) corners.insert(corners.end(), piece.corners.begin(), piece.corners.end());
    const Vec3 center = min_ball(corners).center;
    DeepBall ball = fitter_.around(corners, center, 0, BallFitter::Care::rough);
    if (enters(ball)) {
      ball = {center, 0, fitter_.depth(center)};
      for (const Vec3& p : corners) ball.radius = std::max(ball.radius, norm(p - center));
    }
    ball.group = pieces[0].group;
    return ball;
  }

  const ToKeepClear& clear_;
  const BallFitter& fitter_;
  Run& run_;
  Covered result_;
};

}  // namespace

bool ToKeepClear::entered_by(const Sphere& ball) const {
  return spheres.entered_by(ball) || !stays_out(padded(transformed(ball, to_input), std::max(pad, 0.0), 0), spaces);
}

Covered kept_clear(Covered covered, const ToKeepClear& clear, const BallFitter& fitter, Run& run) {
  if (clear.empty()) return covered;
  std::vector<Pieces> pieces(covered.balls.size());
  const std::vector<uint32_t> owner = best_balls(covered.pieces, covered.balls, run);
  for (size_t k = 0; k < owner.size(); ++k) pieces[owner[k]].push_back(covered.pieces[k]);
  Replacing replacing(clear, fitter, run);
  for (size_t k = 0; k < covered.balls.size(); ++k) {
    if (replacing.enters(covered.balls[k])) {
      replacing.replace(pieces[k]);
    } else {
      replacing.keep(covered.balls[k], pieces[k]);
    }
  }
  return replacing.take();
}

}  // namespace hitbox::internal::spheres
