#include "carve/cell.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/mat3.hpp"

namespace hitbox::internal::carve {

namespace {

bool is_before(const Vec3& a, const Vec3& b) { return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z); }

void sort_and_unite(std::vector<Vec3>& points) {
  std::sort(points.begin(), points.end(), is_before);
  points.erase(std::unique(points.begin(), points.end()), points.end());
}

// Where an edge passes the plane. The same point for both of the sides that share the edge: the ends in one order.
Vec3 passing(Vec3 a, Vec3 b, const HalfSpace& plane) {
  if (is_before(b, a)) std::swap(a, b);
  const double from = plane.above(a), to = plane.above(b);
  return a + (b - a) * (from / (from - to));
}

// Points of a convex polygon in one plane, in order around it.
void sort_around(std::vector<Vec3>& points, const Vec3& normal) {
  Vec3 middle;
  for (const Vec3& p : points) middle += p / static_cast<double>(points.size());
  const Vec3 u = any_perpendicular(normal), v = cross(normal, u);
  std::sort(points.begin(), points.end(), [&](const Vec3& a, const Vec3& b) {
    const auto angle = [&](const Vec3& p) { return std::atan2(dot(p - middle, v), dot(p - middle, u)); };
    return angle(a) < angle(b);
  });
}

}  // namespace

Cell::Cell(const Bounds& box) {
  for (int axis = 0; axis < 3; ++axis)
    for (const bool is_high : {false, true}) {
      Polygon side;
      for (const auto& [u, v] : {std::pair(0, 0), std::pair(1, 0), std::pair(1, 1), std::pair(0, 1)}) {
        Vec3 corner;
        corner[axis] = is_high ? box.high[axis] : box.low[axis];
        const int next = (axis + 1) % 3, last = (axis + 2) % 3;
        corner[next] = u != 0 ? box.high[next] : box.low[next];
        corner[last] = v != 0 ? box.high[last] : box.low[last];
        side.push_back(corner);
      }
      sides_.push_back(std::move(side));
    }
}

std::vector<Vec3> Cell::corners() const {
  std::vector<Vec3> all;
  for (const Polygon& side : sides_) all.insert(all.end(), side.begin(), side.end());
  sort_and_unite(all);
  return all;
}

std::array<Cell, 2> Cell::cut(const HalfSpace& plane) const {
  std::array<Cell, 2> halves;
  std::vector<Vec3> rim;
  for (const Polygon& side : sides_) {
    std::array<Polygon, 2> parts;
    for (size_t k = 0; k < side.size(); ++k) {
      const Vec3 &a = side[k], &b = side[(k + 1) % side.size()];
      const double from = plane.above(a), to = plane.above(b);
      if (from <= 0) parts[0].push_back(a);
      if (from >= 0) parts[1].push_back(a);
      if (from == 0) rim.push_back(a);
      if ((from < 0 && to > 0) || (from > 0 && to < 0)) {
        const Vec3 p = passing(a, b, plane);
        for (Polygon& part : parts) part.push_back(p);
        rim.push_back(p);
      }
    }
    for (size_t half = 0; half < 2; ++half)
      if (parts[half].size() >= 3) halves[half].sides_.push_back(std::move(parts[half]));
  }
  sort_and_unite(rim);
  if (rim.size() < 3) {  // the plane touches the cell at most: all of it is on one side
    for (Cell& half : halves)
      if (half.sides_.size() < 4) half.sides_.clear();
    return halves;
  }
  sort_around(rim, plane.normal);
  for (Cell& half : halves) half.sides_.push_back(rim);
  return halves;
}

}  // namespace hitbox::internal::carve
