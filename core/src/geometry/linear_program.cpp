#include "geometry/linear_program.hpp"

#include <array>

namespace hitbox::internal::geometry {

namespace {

constexpr double kRounding = 1e-13;  // fraction of the reach
constexpr double kParallel = 1e-12;  // smaller coefficients of a normal are noise
constexpr size_t kMostSteps = 64;    // a limit, because rounding could make it cycle; ten steps are rare

// Three planes, and the coefficients of a vector as a sum of their normals.
struct Carriers {
  std::array<HalfSpace, 3> plane;
  std::array<Vec3, 3> dual{};

  explicit Carriers(const std::array<HalfSpace, 3>& planes) : plane(planes) { update(); }
  void update() {
    for (size_t k = 0; k < 3; ++k) dual[k] = cross(plane[(k + 1) % 3].normal, plane[(k + 2) % 3].normal);
    const double determinant = dot(plane[0].normal, dual[0]);
    for (Vec3& d : dual) d = d / determinant;
  }
  Vec3 point() const { return dual[0] * plane[0].offset + dual[1] * plane[1].offset + dual[2] * plane[2].offset; }
};

// The side of the box |x|, |y|, |z| <= reach that faces along an axis, or against it.
HalfSpace side_of_reach(int axis, bool against, double reach) {
  Vec3 normal;
  normal[axis] = against ? -1 : 1;
  return {normal, reach};
}

Carriers corner_of_reach(const Vec3& objective, double reach) {
  std::array<HalfSpace, 3> sides;
  for (int axis = 0; axis < 3; ++axis)
    sides[static_cast<size_t>(axis)] = side_of_reach(axis, objective[axis] > 0, reach);
  return Carriers(sides);
}

// The half-space with the largest violation by the point, including the sides of the reach.
std::optional<HalfSpace> most_broken(const Vec3& point, std::span<const HalfSpace> half_spaces, double reach) {
  const HalfSpace* worst = nullptr;
  double most = kRounding * reach;
  for (const HalfSpace& h : half_spaces)
    if (const double above = h.above(point); above > most) {
      most = above;
      worst = &h;
    }
  std::optional<HalfSpace> result;
  if (worst) result = *worst;
  for (int axis = 0; axis < 3; ++axis)
    if (const double above = std::abs(point[axis]) - reach; above > most) {
      most = above;
      result = side_of_reach(axis, point[axis] < 0, reach);
    }
  return result;
}

// The carrier that `next` replaces: the coefficients of -objective are never negative, and the carrier whose
// coefficient reaches 0 first goes. 3 if there is none; then no point is in all four half-spaces.
size_t leaving_for(const HalfSpace& next, const Vec3& objective, const Carriers& carriers) {
  size_t leaves = 3;
  double least = 0;
  for (size_t k = 0; k < 3; ++k) {
    const double share = dot(carriers.dual[k], next.normal);
    if (!(share > kParallel)) continue;
    const double ratio = -dot(carriers.dual[k], objective) / share;
    if (leaves < 3 && ratio >= least) continue;
    least = ratio;
    leaves = k;
  }
  return leaves;
}

}  // namespace

std::optional<Vec3> lowest_point(const Vec3& objective, std::span<const HalfSpace> half_spaces, double reach) {
  Carriers carriers = corner_of_reach(objective, reach);
  for (size_t step = 0; step < kMostSteps; ++step) {
    const Vec3 point = carriers.point();
    if (!is_finite(point)) return std::nullopt;
    const auto broken = most_broken(point, half_spaces, reach);
    if (!broken) return point;
    const size_t leaves = leaving_for(*broken, objective, carriers);
    if (leaves == 3) return std::nullopt;
    carriers.plane[leaves] = *broken;
    carriers.update();
  }
  return std::nullopt;
}

}  // namespace hitbox::internal::geometry
