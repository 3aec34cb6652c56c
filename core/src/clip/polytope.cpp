#include "clip/polytope.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace hitbox::internal::clip {

namespace {

constexpr size_t kLeastSides = 4;

bool is_before(const Vec3& a, const Vec3& b) { return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z); }

void sort_and_unite(std::vector<Vec3>& points) {
  std::sort(points.begin(), points.end(), is_before);
  points.erase(std::unique(points.begin(), points.end()), points.end());
}

struct Edge {
  Vec3 from, to;
};

bool is_edge_before(const Edge& a, const Edge& b) {
  return std::tie(a.from.x, a.from.y, a.from.z, a.to.x, a.to.y, a.to.z) <
         std::tie(b.from.x, b.from.y, b.from.z, b.to.x, b.to.y, b.to.z);
}

// The edges between points of the rim that no other side has in reverse; reversed, and sorted.
std::vector<Edge> open_edges(std::span<const Polygon> sides, const std::vector<Vec3>& rim) {
  const auto is_on_rim = [&](const Vec3& p) { return std::binary_search(rim.begin(), rim.end(), p, is_before); };
  std::vector<Edge> edges, turned, open;
  for (const Polygon& side : sides)
    for (size_t k = 0; k < side.size(); ++k) {
      const Vec3 &from = side[k], &to = side[(k + 1) % side.size()];
      if (from == to || !is_on_rim(from) || !is_on_rim(to)) continue;
      edges.push_back({from, to});
      turned.push_back({to, from});
    }
  std::sort(edges.begin(), edges.end(), is_edge_before);
  std::sort(turned.begin(), turned.end(), is_edge_before);
  std::set_difference(turned.begin(), turned.end(), edges.begin(), edges.end(), std::back_inserter(open),
                      is_edge_before);
  return open;
}

// Adds the sides that close the opening of a cut. As many open edges begin at a point as end there, so they form loops:
// one, or several if rounding makes a cut through a sliver cross itself.
void add_caps(std::vector<Polygon>& sides, const std::vector<Vec3>& rim) {
  std::vector<Edge> open = open_edges(sides, rim);
  while (!open.empty()) {
    Polygon cap;
    auto next = open.begin();
    do {
      cap.push_back(next->from);
      const Vec3 to = next->to;
      open.erase(next);
      next = std::lower_bound(open.begin(), open.end(), to,
                              [](const Edge& edge, const Vec3& p) { return is_before(edge.from, p); });
      if (to == cap[0]) break;
    } while (next != open.end());
    if (cap.size() >= 3) sides.push_back(std::move(cap));
  }
}

}  // namespace

Polytope::Polytope(const Bounds& box) {
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
      if (!is_high) std::reverse(side.begin(), side.end());
      sides_.push_back(std::move(side));
    }
}

Polytope::Polytope(const Bounds& box, std::span<const HalfSpace> planes) : Polytope(box) {
  for (const HalfSpace& plane : planes) *this = std::move(cut(plane)[0]);
}

std::vector<Vec3> Polytope::corners() const {
  std::vector<Vec3> all;
  for (const Polygon& side : sides_) all.insert(all.end(), side.begin(), side.end());
  sort_and_unite(all);
  return all;
}

std::array<Polytope, 2> Polytope::cut(const HalfSpace& plane) const {
  std::array<Polytope, 2> halves;
  std::vector<Vec3> rim;
  double lowest = 0, highest = 0;
  for (const Polygon& side : sides_) {
    double low = 0, high = 0;
    for (const Vec3& p : side) {
      const double above = plane.above(p);
      low = std::min(low, above);
      high = std::max(high, above);
      if (above == 0) rim.push_back(p);
    }
    lowest = std::min(lowest, low);
    highest = std::max(highest, high);
    auto parts = split(
        std::span(side), [&](const Vec3& p) { return plane.above(p); },
        [&](const Vec3& a, const Vec3& b) {
          rim.push_back(passing(a, b, plane));
          return rim.back();
        });
    // A part of a side in the plane is not a side of either part: the cap replaces it.
    if (low < 0 && parts[0].size() >= 3) halves[0].sides_.push_back(std::move(parts[0]));
    if (high > 0 && parts[1].size() >= 3) halves[1].sides_.push_back(std::move(parts[1]));
  }
  sort_and_unite(rim);
  for (Polytope& half : halves) add_caps(half.sides_, rim);
  const bool is_behind = halves[0].sides_.size() >= kLeastSides, is_in_front = halves[1].sides_.size() >= kLeastSides;
  if (is_behind && is_in_front) return halves;
  // The plane at most touches the polytope, which stays whole, on the side where it reaches furthest.
  if (-lowest >= highest) return {*this, Polytope()};
  return {Polytope(), *this};
}

double Polytope::volume() const {
  if (sides_.empty()) return 0;
  const Vec3 origin = sides_[0][0];
  double six = 0;
  for (const Polygon& side : sides_) six += dot(side[0] - origin, double_area(side));
  return six / 6;
}

}  // namespace hitbox::internal::clip
