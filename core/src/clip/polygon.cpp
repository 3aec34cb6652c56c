#include "clip/polygon.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace hitbox::internal::clip {

namespace {

// Keeps the part at least `depth` behind the plane; returns false if no part is deeper.
bool keep_behind(Polygon& polygon, Polygon& scratch, const HalfSpace& plane, double depth) {
  const HalfSpace moved{plane.normal, plane.offset - depth};
  double lowest = 0, highest = 0;
  for (const Vec3& p : polygon) {
    const double above = moved.above(p);
    lowest = std::min(lowest, above);
    highest = std::max(highest, above);
  }
  if (highest <= 0) return lowest < 0;
  scratch.clear();
  for (size_t k = 0; k < polygon.size(); ++k) {
    const Vec3 &a = polygon[k], &b = polygon[(k + 1) % polygon.size()];
    const double from = moved.above(a), to = moved.above(b);
    if (from <= 0) scratch.push_back(a);
    if ((from < 0 && to > 0) || (from > 0 && to < 0)) scratch.push_back(passing(a, b, moved));
  }
  polygon.swap(scratch);
  return lowest < 0;
}

}  // namespace

Vec3 passing(const Vec3& a, const Vec3& b, const HalfSpace& plane) {
  const bool in_order = !(std::tie(b.x, b.y, b.z) < std::tie(a.x, a.y, a.z));
  const Vec3 &first = in_order ? a : b, &last = in_order ? b : a;
  const double from = plane.above(first), to = plane.above(last);
  return first + (last - first) * (from / (from - to));
}

Polygon clipped(std::span<const Vec3> polygon, std::span<const HalfSpace> planes, double depth) {
  Polygon left(polygon.begin(), polygon.end()), scratch;
  for (const HalfSpace& plane : planes) {
    keep_behind(left, scratch, plane, depth);
    if (left.empty()) break;
  }
  return left;
}

bool enters(std::span<const Vec3> polygon, std::span<const HalfSpace> planes, double depth) {
  Polygon left(polygon.begin(), polygon.end()), scratch;
  return !left.empty() && std::all_of(planes.begin(), planes.end(),
                                      [&](const HalfSpace& plane) { return keep_behind(left, scratch, plane, depth); });
}

Vec3 double_area(std::span<const Vec3> polygon) {
  Vec3 sum;
  for (size_t k = 2; k < polygon.size(); ++k) sum += cross(polygon[k - 1] - polygon[0], polygon[k] - polygon[0]);
  return sum;
}

}  // namespace hitbox::internal::clip
