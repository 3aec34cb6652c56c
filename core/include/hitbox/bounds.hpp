// Axis-aligned bounding box.
#pragma once

#include <limits>
#include <span>

#include "hitbox/vec3.hpp"

namespace hitbox {

struct Bounds {
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Vec3 low{kInfinity, kInfinity, kInfinity};
  Vec3 high{-kInfinity, -kInfinity, -kInfinity};

  bool is_empty() const { return !(low.x <= high.x); }
  Vec3 center() const { return low * 0.5 + high * 0.5; }
  Vec3 size() const { return high - low; }
  bool contains(const Vec3& p) const {
    return p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y && p.z >= low.z && p.z <= high.z;
  }
  void add(const Vec3& p) {
    low = min(low, p);
    high = max(high, p);
  }
  void add(const Bounds& other) {
    low = min(low, other.low);
    high = max(high, other.high);
  }
  void grow(double by) {
    low -= Vec3{by, by, by};
    high += Vec3{by, by, by};
  }
  double area() const {
    const Vec3 s = size();
    return 2 * (s.x * s.y + s.y * s.z + s.z * s.x);
  }
  double volume() const {
    const Vec3 s = size();
    return s.x * s.y * s.z;
  }
  // The squares of the sides may leave the range of doubles although the diagonal does not.
  double diagonal() const {
    const Vec3 s = size();
    const double largest = max_component(s);
    return largest > 0 && std::isfinite(largest) ? largest * norm(s / largest) : std::max(largest, 0.0);
  }
};

inline Bounds bounds_of(std::span<const Vec3> points) {
  Bounds bounds;
  for (const Vec3& p : points) bounds.add(p);
  return bounds;
}

// Squared distance of `p` from the box; 0 inside.
inline double distance_sq(const Bounds& box, const Vec3& p) {
  return norm_sq(max(max(box.low - p, p - box.high), Vec3{0, 0, 0}));
}

// Squared distance between two boxes; 0 where they touch.
inline double distance_sq(const Bounds& a, const Bounds& b) {
  return norm_sq(max(max(a.low - b.high, b.low - a.high), Vec3{0, 0, 0}));
}

}  // namespace hitbox
