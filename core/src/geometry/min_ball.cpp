#include "geometry/min_ball.hpp"

#include <array>
#include <vector>

#include "base/assert.hpp"
#include "hitbox/bounds.hpp"

namespace hitbox::internal::geometry {
namespace {

constexpr size_t kMaxSupport = 4;

struct Support {
  std::array<Vec3, kMaxSupport + 1> point;
  size_t size = 0;
};

// The centre of the smallest sphere through all points, in their affine hull. Solves the normal equations by
// elimination with full pivoting. Returns false if the points are affinely dependent.
bool circumcenter(std::span<const Vec3> points, Vec3& center) {
  const size_t n = points.size() - 1;
  Vec3 edge[3];
  double matrix[3][4];
  for (size_t k = 0; k < n; ++k) edge[k] = points[k + 1] - points[0];
  for (size_t r = 0; r < n; ++r) {
    for (size_t c = 0; c < n; ++c) matrix[r][c] = dot(edge[r], edge[c]);
    matrix[r][3] = norm_sq(edge[r]) / 2;
  }
  for (size_t k = 0; k < n; ++k) {
    size_t pivot = k;  // the largest entry of a Gram matrix is on the diagonal
    for (size_t r = k + 1; r < n; ++r)
      if (matrix[r][r] > matrix[pivot][pivot]) pivot = r;
    if (!(matrix[pivot][pivot] > 1e-30 * norm_sq(edge[pivot]))) return false;
    std::swap(edge[k], edge[pivot]);
    for (size_t c = 0; c < 4; ++c) std::swap(matrix[k][c], matrix[pivot][c]);
    for (size_t r = 0; r < n; ++r) std::swap(matrix[r][k], matrix[r][pivot]);
    for (size_t r = 0; r < n; ++r) {
      if (r == k) continue;
      const double factor = matrix[r][k] / matrix[k][k];
      for (size_t c = k; c < 4; ++c) matrix[r][c] -= factor * matrix[k][c];
    }
  }
  center = points[0];
  for (size_t k = 0; k < n; ++k) center += edge[k] * (matrix[k][3] / matrix[k][k]);
  return is_finite(center);
}

double furthest_sq(std::span<const Vec3> points, const Vec3& center, size_t& furthest) {
  double most = -1;
  for (size_t k = 0; k < points.size(); ++k)
    if (const double d = norm_sq(points[k] - center); d > most) {
      most = d;
      furthest = k;
    }
  return most;
}

// The smallest ball of up to five points, the last of which is known to be on it. Keeps only the points that define it.
// The ball of every subset is grown around all five, so the best one is valid in spite of rounding.
Vec3 best_center(Support& support) {
  const std::span<const Vec3> all(support.point.data(), support.size);
  double best_sq = Bounds::kInfinity;
  Vec3 best = all.back();
  Support carrying;
  for (unsigned subset = 0; subset < 1u << (all.size() - 1); ++subset) {
    Support chosen;
    chosen.point[chosen.size++] = all.back();
    for (size_t k = 0; k + 1 < all.size() && chosen.size <= kMaxSupport; ++k)
      if (subset >> k & 1) chosen.point[chosen.size++] = all[k];
    if (chosen.size > kMaxSupport) continue;
    Vec3 center;
    if (!circumcenter({chosen.point.data(), chosen.size}, center)) continue;
    size_t unused;
    const double radius_sq = furthest_sq(all, center, unused);
    if (radius_sq < best_sq) {
      best_sq = radius_sq;
      best = center;
      carrying = chosen;
    }
  }
  support = carrying;
  return best;
}

// Points scaled to about the unit ball around the origin.
Ball min_ball_of_scaled(std::span<const Vec3> points) {
  Support support;
  size_t furthest = 0;
  furthest_sq(points, points[0], furthest);
  Vec3 center = points[furthest], best = center;
  double carried_sq = -1, best_sq = Bounds::kInfinity;
  for (;;) {
    const double radius_sq = furthest_sq(points, center, furthest);
    if (radius_sq < best_sq) {
      best_sq = radius_sq;
      best = center;
    }
    support.point[support.size++] = points[furthest];
    const Vec3 next = best_center(support);
    size_t unused;
    const double next_sq = furthest_sq({support.point.data(), support.size}, next, unused);
    if (!(next_sq > carried_sq * (1 + 1e-15))) break;
    carried_sq = next_sq;
    center = next;
  }
  return {best, std::sqrt(best_sq)};
}

}  // namespace

Ball min_ball(std::span<const Vec3> points) {
  HITBOX_ASSERT(!points.empty());
  const Bounds bounds = bounds_of(points);
  const Vec3 middle = bounds.center();
  const double size = max_component(bounds.size());
  if (!(size > 0)) return {points[0], 0};
  int exponent;
  std::frexp(size, &exponent);
  std::vector<Vec3> scaled(points.begin(), points.end());
  for (Vec3& p : scaled)
    p = {std::ldexp(p.x - middle.x, -exponent), std::ldexp(p.y - middle.y, -exponent),
         std::ldexp(p.z - middle.z, -exponent)};
  const Ball ball = min_ball_of_scaled(scaled);
  Ball result{{std::ldexp(ball.center.x, exponent) + middle.x, std::ldexp(ball.center.y, exponent) + middle.y,
               std::ldexp(ball.center.z, exponent) + middle.z},
              0};
  for (const Vec3& p : points) {  // measured from the returned centre, and rounded up
    const Vec3 offset = p - result.center;
    result.radius = std::max(result.radius, std::hypot(offset.x, offset.y, offset.z));
  }
  result.radius *= 1 + 8 * 0x1p-53;
  return result;
}

Circle min_circle(std::span<const Vec2> points) {
  std::vector<Vec3> flat;
  flat.reserve(points.size());
  for (const Vec2& p : points) flat.push_back({p.x, p.y, 0});
  const Ball ball = min_ball(flat);
  return {{ball.center.x, ball.center.y}, ball.radius};
}

}  // namespace hitbox::internal::geometry
