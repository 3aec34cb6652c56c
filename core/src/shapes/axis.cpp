#include "shapes/axis.hpp"

namespace hitbox::internal::shapes {

namespace {

// The regular polygon around the unit circle that touches it with every side.
std::vector<Vec3> circumscribed_circle(const Vec3& direction, int segments) {
  const Vec3 u = any_perpendicular(direction), v = cross(direction, u);
  const double radius = 1 / std::cos(kPi / segments);
  std::vector<Vec3> circle;
  for (int k = 0; k < segments; ++k) {
    const double angle = 2 * kPi * k / segments;
    circle.push_back((u * std::cos(angle) + v * std::sin(angle)) * radius);
  }
  return circle;
}

void add_band(TriangleMesh& mesh, uint32_t low, bool low_is_point, uint32_t high, bool high_is_point,
              uint32_t segments) {
  for (uint32_t k = 0; k < segments; ++k) {
    const uint32_t next = (k + 1) % segments;
    const uint32_t a = low_is_point ? low : low + k, b = low_is_point ? low : low + next;
    const uint32_t c = high_is_point ? high : high + next, d = high_is_point ? high : high + k;
    if (!low_is_point) mesh.triangles.push_back({a, b, c});
    if (!high_is_point) mesh.triangles.push_back({a, c, d});
  }
}

}  // namespace

TriangleMesh revolve(const Axis& axis, const std::vector<Ring>& rings, int segments) {
  const auto count = static_cast<uint32_t>(segments);
  const std::vector<Vec3> circle = circumscribed_circle(axis.direction, segments);
  TriangleMesh mesh;
  uint32_t previous = 0;
  for (size_t k = 0; k < rings.size(); ++k) {
    const auto first = static_cast<uint32_t>(mesh.vertices.size());
    const bool is_point = rings[k].radius == 0;
    const Vec3 center = axis.at(rings[k].along);
    if (is_point) mesh.vertices.push_back(center);
    for (uint32_t s = 0; s < count && !is_point; ++s) mesh.vertices.push_back(center + circle[s] * rings[k].radius);
    if (k > 0) add_band(mesh, previous, rings[k - 1].radius == 0, first, is_point, count);
    previous = first;
  }
  for (uint32_t s = 1; s + 1 < count; ++s) {
    if (rings.front().radius != 0) mesh.triangles.push_back({0, s + 1, s});
    if (rings.back().radius != 0) mesh.triangles.push_back({previous, previous + s, previous + s + 1});
  }
  return mesh;
}

// The edges touch the circle at 0, step, 2 step ... from the equator, so the vertices lie half a step further. The last
// one is the pole.
std::vector<Ring> capsule_profile(double half_length, double radius, int segments) {
  const int edges = std::max(1, segments / 4);
  const double step = kPi / (2 * edges + 1), reach = radius / std::cos(step / 2);
  std::vector<Ring> half;
  for (int k = 0; k < edges; ++k) {
    const double angle = (k + 0.5) * step;
    half.push_back({half_length + reach * std::sin(angle), reach * std::cos(angle)});
  }
  half.push_back({half_length + reach, 0});
  std::vector<Ring> rings;
  for (auto ring = half.rbegin(); ring != half.rend(); ++ring) rings.push_back({-ring->along, ring->radius});
  rings.insert(rings.end(), half.begin(), half.end());
  return rings;
}

}  // namespace hitbox::internal::shapes
