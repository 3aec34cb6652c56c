#include "space/clearance.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/triangle.hpp"

namespace hitbox::internal::space {

namespace {

constexpr double kUp = 0.8660254037844386, kLevel = 0.5;  // cosines of 30 and 60 degrees

}  // namespace

double Tolerance::along(const Vec3& direction) const {
  if (!is_directed()) return all;
  const double share = std::clamp((dot(direction, up) - kLevel) / (kUp - kLevel), 0.0, 1.0);
  return all + (floor - all) * share;
}

// The vector from the nearest point of a triangle changes by at most the change of the point, so its direction changes
// by at most 1 / d.
double Tolerance::steepness(double distance) const {
  return is_directed() ? (all - floor) / (kUp - kLevel) / distance : 0;
}

double Tolerance::least_near(const Vec3& direction, double distance, double away) const {
  if (!is_directed()) return all;
  return away >= distance ? floor : std::max(floor, along(direction) - steepness(distance - away) * away);
}

double Clearance::distance(const Vec3& p, double most) const {
  const double limit = most * (1 + 1e-12);
  return std::sqrt(surface_.closest(p, limit * limit).distance_sq);
}

// The smallest distance from a triangle minus its tolerance.
TriangleBvh::Closest Clearance::most_pressing(const Vec3& p) const {
  if (!tolerance_.is_directed()) return surface_.closest(p);
  TriangleBvh::Closest best;
  double least = Bounds::kInfinity;
  surface_.tree().nearest_first(
      [&](const Bvh::Node& node, double out[4]) {
        child_distances_sq(node, Bounds{p, p}, out);
      },
      [&] {
        const double reach = least + tolerance_.all;
        return reach > 0 ? reach * reach : 0;
      },
      [&](uint32_t first, uint32_t count) {
        for (uint32_t at = first; at < first + count; ++at) {
          const auto& [a, b, c] = surface_.corners_at(at);
          const Vec3 q = closest_point_on_triangle(p, a, b, c);
          const double d = norm(p - q), room = d - tolerance_.along(normalized(p - q));
          if (room < least) {
            least = room;
            best = {d * d, surface_.tree().order()[at], q};
          }
        }
      });
  return best;
}

double Clearance::of_mesh(const Vec3& p) const {
  if (!tolerance_.is_directed()) return distance(p) - tolerance_.all;
  const Vec3 q = most_pressing(p).point;
  return norm(p - q) - tolerance_.along(normalized(p - q));
}

double Clearance::of_blockers(const Vec3& p) const {
  double least = blockers_.distance(p);
  if (blockers_.function) {
    double found = 0;
    blockers_.ask({&p, 1}, {&found, 1});
    least = std::min(least, found);
  }
  return least;
}

Vec3 Clearance::gradient(const Vec3& p) const {
  const Vec3 q = most_pressing(p).point;
  const double of_mesh = norm(p - q) - tolerance_.along(normalized(p - q));
  if (blockers_.empty() || of_mesh <= of_blockers(p)) return normalized(p - q);
  const double d = 1e-4 * tolerance_.all;
  Vec3 slope;
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 ahead = p, behind = p;
    ahead[axis] += d;
    behind[axis] -= d;
    slope[axis] = of_blockers(ahead) - of_blockers(behind);
  }
  return normalized(slope);
}

}  // namespace hitbox::internal::space
