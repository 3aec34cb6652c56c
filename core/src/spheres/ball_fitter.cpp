#include "spheres/ball_fitter.hpp"

#include <algorithm>

#include "hitbox/shapes/interface.hpp"

namespace hitbox::internal::spheres {

namespace {

constexpr double kFirstStep[2] = {0.3, 0.1}, kLastStep[2] = {0.03, 0.01};  // fractions of the radius: rough, fine
// samples on a ball that measure its deviation
constexpr int kDirectionCount = 64;
constexpr double kWorthIt = 1e-4;  // fraction of the radius: smaller gains are not worth a step
const double kThird = std::sqrt(1.0 / 3);
const Vec3 kDirections[14] = {{1, 0, 0},
                              {-1, 0, 0},
                              {0, 1, 0},
                              {0, -1, 0},
                              {0, 0, 1},
                              {0, 0, -1},
                              {kThird, kThird, kThird},
                              {kThird, kThird, -kThird},
                              {kThird, -kThird, kThird},
                              {kThird, -kThird, -kThird},
                              {-kThird, kThird, kThird},
                              {-kThird, kThird, -kThird},
                              {-kThird, -kThird, kThird},
                              {-kThird, -kThird, -kThird}};

// Directions spread evenly over the sphere.
std::vector<Vec3> spiral(int count) {
  const double turn = kPi * (3 - std::sqrt(5.0));
  std::vector<Vec3> directions;
  for (int k = 0; k < count; ++k) {
    const double z = 1 - (2 * k + 1.0) / count, r = std::sqrt(1 - z * z);
    directions.push_back({r * std::cos(turn * k), r * std::sin(turn * k), z});
  }
  return directions;
}

}  // namespace

// Descends in steps that are halved if no direction helps. Neither the reach nor the depth has a derivative at its
// extremes, where it would matter.
class BallFitter::Descent {
 public:
  Descent(const BallFitter& fitter, std::span<const Vec3> points, double trim, Care care)
      : fitter_(fitter),
        points_(points),
        care_(care),
        kept_(points.size() -
              std::min(points.size() - 1, static_cast<size_t>(trim * static_cast<double>(points.size())))) {}

  Trial from(const Vec3& start) {
    Trial best = at(start);
    const auto care = static_cast<size_t>(care_);
    const double last = kLastStep[care] * best.reach;
    for (double step = kFirstStep[care] * best.reach; step > last;)
      if (!improve(best, step)) step /= 2;
    return best;
  }

 private:
  Trial at(const Vec3& center) {
    Trial trial;
    trial.center = center;
    trial.reach = reach(center);
    ask(trial, nullptr);
    return trial;
  }

  bool improve(Trial& best, double step) {
    const Vec3 inward = normalized(furthest_ - best.center);
    const Vec3 deeper = normalized(best.depth >= 0 ? best.center - best.near : best.near - best.center);
    for (const Vec3& direction : {normalized(inward + deeper), inward, deeper})
      if (take(best, direction * step)) return true;
    for (const Vec3& direction : kDirections)
      if (take(best, direction * step)) return true;
    return false;
  }

  bool take(Trial& best, const Vec3& move) {
    const double goal = best.sticks_out() - kWorthIt * best.reach;
    const Vec3 kept = furthest_;
    Trial trial;
    trial.center = best.center + move;
    trial.reach = reach(trial.center);
    // The depth is 1-Lipschitz, which often already excludes the candidate.
    if (trial.reach - best.depth - norm(move) < goal) {
      ask(trial, &best);
      if (trial.sticks_out() < goal) {
        best = trial;
        return true;
      }
    }
    furthest_ = kept;
    return false;
  }

  void ask(Trial& trial, const Trial* from) const {
    if (care_ == Care::rough) {
      const DepthGrid::Depth found = fitter_.grid_.at(trial.center);
      trial.depth = found.value;
      trial.near = found.near;
      return;
    }
    const TriangleBvh::Closest closest = fitter_.surface_.closest(trial.center);
    trial.near = closest.point;
    trial.depth = std::sqrt(closest.distance_sq);
    // A point nearer than the surface is on the same side of it.
    const bool same_side = from != nullptr && norm(trial.center - from->center) < std::abs(from->depth);
    const bool inside = same_side ? from->depth > 0 : fitter_.winding_.contains(trial.center);
    if (!inside) trial.depth = -trial.depth;
  }

  double reach(const Vec3& center) {
    if (kept_ < points_.size()) return trimmed_reach(center);
    double most = -1;
    for (const Vec3& p : points_)
      if (const double d = norm_sq(p - center); d > most) {
        most = d;
        furthest_ = p;
      }
    return std::sqrt(most);
  }

  double trimmed_reach(const Vec3& center) {
    distances_.clear();
    for (const Vec3& p : points_) distances_.push_back(norm_sq(p - center));
    const auto last = distances_.begin() + static_cast<ptrdiff_t>(kept_ - 1);
    std::nth_element(distances_.begin(), last, distances_.end());
    furthest_ = *std::ranges::find_if(points_, [&](const Vec3& p) { return norm_sq(p - center) == *last; });
    return std::sqrt(*last);
  }

  const BallFitter& fitter_;
  std::span<const Vec3> points_;
  Care care_;
  size_t kept_;
  Vec3 furthest_;
  std::vector<double> distances_;
};

double BallFitter::depth(const Vec3& p) const {
  const double distance = std::sqrt(surface_.closest(p).distance_sq);
  return winding_.contains(p) ? distance : -distance;
}

double BallFitter::waste(const DeepBall& ball, std::span<const DeepBall> others) const {
  static const std::vector<Vec3> directions = spiral(kDirectionCount);
  double sum = 0;
  for (const Vec3& direction : directions) {
    const Vec3 p = ball.center + direction * ball.radius;
    const auto hides = [&](const DeepBall& other) { return norm_sq(p - other.center) < other.radius * other.radius; };
    if (std::ranges::none_of(others, hides)) sum += std::max(-grid_.at(p).value, 0.0);
  }
  return sum / kDirectionCount * 4 * kPi * ball.radius * ball.radius;
}

DeepBall BallFitter::around(std::span<const Vec3> points, const Vec3& start, double trim, Care care) const {
  const Trial best = Descent(*this, points, trim, care).from(start);
  return {best.center, best.reach * (1 + 0x1p-50), best.depth};
}

}  // namespace hitbox::internal::spheres
