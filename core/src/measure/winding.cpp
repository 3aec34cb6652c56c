#include "measure/winding.hpp"

#include "hitbox/shapes/interface.hpp"

namespace hitbox::internal::measure {
namespace {

constexpr double kFar = 2.0;  // in units of a box's reach; with 3, queries take twice as long and errors are a third

// Van Oosterom and Strackee: the solid angle of a triangle from its tan(angle / 2).
double solid_angle(const std::array<Vec3, 3>& corners, const Vec3& p) {
  const Vec3 a = corners[0] - p, b = corners[1] - p, c = corners[2] - p;
  const double la = norm(a), lb = norm(b), lc = norm(c);
  const double above = dot(a, cross(b, c));
  const double below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
  return above == 0 ? 0 : 2 * std::atan2(above, below);  // p lies in its plane
}

}  // namespace

Winding::Winding(const TriangleBvh& surface) : surface_(surface), dipoles_(surface.tree().nodes().size()) {
  if (!dipoles_.empty()) sum_of_node(0);
}

Winding::Sum Winding::sum_of_leaf(uint32_t first, uint32_t count) const {
  Sum sum;
  for (uint32_t at = first; at < first + count; ++at) {
    const auto& [a, b, c] = surface_.corners_at(at);
    const Vec3 moment = cross(b - a, c - a) * 0.5;
    const double area = norm(moment);
    sum.moment += moment;
    sum.weighted_center += (a + b + c) * (area / 3);
    sum.area += area;
    sum.box.add(bounds_of(surface_.corners_at(at)));
  }
  return sum;
}

Winding::Sum Winding::sum_of_node(uint32_t node) {
  Sum all;
  for (size_t k = 0; k < 4; ++k) {
    const Bvh::Node& box = surface_.tree().nodes()[node];
    if (box.first[k] == Bvh::kNone) continue;
    const Sum sum = box.count[k] > 0 ? sum_of_leaf(box.first[k], box.count[k]) : sum_of_node(box.first[k]);
    dipoles_[node][k] = dipole_of(sum);
    all.moment += sum.moment;
    all.weighted_center += sum.weighted_center;
    all.area += sum.area;
    all.box.add(sum.box);
  }
  return all;
}

Winding::Dipole Winding::dipole_of(const Sum& sum) {
  Dipole dipole;
  dipole.center = sum.area > 0 ? sum.weighted_center / sum.area : sum.box.center();
  dipole.moment = sum.moment;
  const Vec3 reach = max(abs(sum.box.low - dipole.center), abs(sum.box.high - dipole.center));
  dipole.reach_sq = kFar * kFar * norm_sq(reach);
  return dipole;
}

double Winding::at(const Vec3& p) const {
  const auto nodes = surface_.tree().nodes();
  if (nodes.empty()) return 0;
  double angle = 0;
  std::array<uint32_t, 256> stack;  // as deep as the tree's own traversals
  size_t size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const uint32_t node = stack[--size];
    for (size_t k = 0; k < 4; ++k) {
      const uint32_t first = nodes[node].first[k], count = nodes[node].count[k];
      if (first == Bvh::kNone) continue;
      const Dipole& dipole = dipoles_[node][k];
      const Vec3 away = dipole.center - p;
      const double distance_sq = norm_sq(away);
      if (distance_sq > dipole.reach_sq) {
        angle += dot(dipole.moment, away) / (distance_sq * std::sqrt(distance_sq));
      } else if (count == 0) {
        stack[size++] = first;
      } else {
        for (uint32_t at = first; at < first + count; ++at) angle += solid_angle(surface_.corners_at(at), p);
      }
    }
  }
  return angle / (4 * kPi);
}

}  // namespace hitbox::internal::measure
