#include "borders/caps.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "bvh/bvh.hpp"
#include "geometry/ears.hpp"
#include "geometry/predicates.hpp"

namespace hitbox::internal::borders {

using geometry::ears_of;
using geometry::orient2d;

namespace {

struct Plane {
  Vec3 center, normal;  // the normal is a unit vector; the loop is counter-clockwise as seen from its end
  double area = 0;
};

// Drops the axis nearest to `normal`, so that polygons that turn counter-clockwise about the normal do so in the plane.
// Coordinates do not change, so predicates stay exact.
class Projection {
 public:
  explicit Projection(const Vec3& normal) {
    const Vec3 size = abs(normal);
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const bool flips = normal[axis] < 0;
    u_ = (axis + (flips ? 2 : 1)) % 3;
    v_ = (axis + (flips ? 1 : 2)) % 3;
  }
  Vec2 operator()(const Vec3& p) const { return {p[u_], p[v_]}; }

 private:
  int u_, v_;
};

// ---------------------------------------------------------------- Planes and holes

Vec3 area_vector(std::span<const Vec3> vertices, std::span<const uint32_t> loop) {
  const Vec3& first = vertices[loop[0]];
  Vec3 sum;
  for (size_t k = 2; k < loop.size(); ++k) sum += cross(vertices[loop[k - 1]] - first, vertices[loop[k]] - first);
  return sum / 2;
}

bool is_in_plane(std::span<const Vec3> vertices, std::span<const uint32_t> loop, const Plane& plane, double tolerance) {
  return std::all_of(loop.begin(), loop.end(),
                     [&](uint32_t v) { return std::abs(dot(plane.normal, vertices[v] - plane.center)) <= tolerance; });
}

std::optional<Plane> plane_of(std::span<const Vec3> vertices, std::span<const uint32_t> loop, double tolerance) {
  const Vec3 area = area_vector(vertices, loop);
  Plane plane{{}, normalized(area, {0, 0, 0}), norm(area)};
  for (const uint32_t v : loop) plane.center += (vertices[v] - vertices[loop[0]]) / static_cast<double>(loop.size());
  plane.center += vertices[loop[0]];
  if (!(plane.area > 0) || !is_in_plane(vertices, loop, plane, tolerance)) return std::nullopt;
  return plane;
}

// +1 inside, 0 on the loop, -1 outside, by the even-odd rule.
int place_in(const Vec2& p, std::span<const Vec2> loop) {
  bool inside = false;
  for (size_t k = 0; k < loop.size(); ++k) {
    const Vec2 &a = loop[k], &b = loop[(k + 1) % loop.size()];
    const Vec2 &low = a.y < b.y ? a : b, &high = a.y < b.y ? b : a;
    const int side = orient2d(low, high, p);
    const bool spans_x = p.x >= std::min(a.x, b.x) && p.x <= std::max(a.x, b.x);
    if (side == 0 && spans_x && p.y >= low.y && p.y <= high.y) return 0;
    if (low.y <= p.y && p.y < high.y && side > 0) inside = !inside;
  }
  return inside ? 1 : -1;
}

// Decides by the first vertex that is not on the outer loop.
bool is_inside(std::span<const Vec3> vertices, std::span<const uint32_t> loop, std::span<const uint32_t> outer,
               const Plane& plane) {
  const Projection flat(plane.normal);
  std::vector<Vec2> around;
  for (const uint32_t v : outer) around.push_back(flat(vertices[v]));
  for (const uint32_t v : loop)
    if (const int place = place_in(flat(vertices[v]), around); place != 0) return place > 0;
  return false;
}

// Assigns holes to loops, the largest loop first, so that a loop's parent is known before the loop itself.
class Nesting {
 public:
  Nesting(std::span<const Vec3> vertices, std::span<const BorderLoop> loops, double tolerance, Run& run)
      : vertices_(vertices), loops_(loops), tolerance_(tolerance) {
    for (const BorderLoop& loop : loops) planes_.push_back(plane_of(vertices, loop.vertices, tolerance));
    for (uint32_t k = 0; k < loops.size(); ++k)
      if (planes_[k]) by_area_.push_back(k);
    std::stable_sort(by_area_.begin(), by_area_.end(),
                     [&](uint32_t a, uint32_t b) { return planes_[a]->area > planes_[b]->area; });
    std::vector<Bounds> boxes;
    for (const uint32_t k : by_area_) boxes.push_back(box_of(k));
    if (!boxes.empty()) tree_.emplace(std::move(boxes), run);
  }

  Outlines outlines() const {
    Outlines result;
    std::vector<std::vector<uint32_t>> holes(loops_.size());
    std::vector<bool> is_hole(loops_.size());
    for (uint32_t rank = 0; rank < by_area_.size(); ++rank) {
      const uint32_t k = by_area_[rank];
      const std::optional<uint32_t> parent = parent_of(rank);
      is_hole[k] = parent && !is_hole[*parent] && dot(planes_[*parent]->normal, planes_[k]->normal) < 0;
      if (is_hole[k]) holes[*parent].push_back(k);
    }
    for (uint32_t k = 0; k < loops_.size(); ++k) {
      if (!planes_[k]) result.curved.push_back(k);
      if (!planes_[k] || is_hole[k]) continue;
      std::sort(holes[k].begin(), holes[k].end());
      result.planar.push_back({k, std::move(holes[k])});
    }
    return result;
  }

 private:
  Bounds box_of(uint32_t k) const {
    Bounds box;
    for (const uint32_t v : loops_[k].vertices) box.add(vertices_[v]);
    box.grow(tolerance_);
    return box;
  }

  // The smallest larger loop around this one.
  std::optional<uint32_t> parent_of(uint32_t rank) const {
    std::optional<uint32_t> nearest;
    tree_->overlaps(tree_->boxes()[rank], [&](uint32_t other) {
      if (other < rank && (!nearest || other > *nearest) && holds(by_area_[other], by_area_[rank])) nearest = other;
    });
    if (nearest) return by_area_[*nearest];
    return std::nullopt;
  }

  bool holds(uint32_t outer, uint32_t inner) const {
    return is_in_plane(vertices_, loops_[inner].vertices, *planes_[outer], tolerance_) &&
           is_inside(vertices_, loops_[inner].vertices, loops_[outer].vertices, *planes_[outer]);
  }

  std::span<const Vec3> vertices_;
  std::span<const BorderLoop> loops_;
  double tolerance_;
  std::vector<std::optional<Plane>> planes_;
  std::vector<uint32_t> by_area_;
  std::optional<bvh::BoxBvh> tree_;  // over by_area_
};

// ---------------------------------------------------------------- Bridges

// A polygon in the plane, with the mesh vertices of its corners.
struct Ring {
  std::vector<uint32_t> vertices;
  std::vector<Vec2> points;

  size_t size() const { return points.size(); }
  size_t next(size_t k) const { return k + 1 < size() ? k + 1 : 0; }
  size_t before(size_t k) const { return k > 0 ? k - 1 : size() - 1; }
};

bool is_right_of(const Vec2& a, const Vec2& b) { return std::tie(a.x, a.y) > std::tie(b.x, b.y); }

bool is_between(const Vec2& p, const Vec2& a, const Vec2& b) {  // for collinear points, including the ends
  return std::min(a.x, b.x) <= p.x && p.x <= std::max(a.x, b.x) && std::min(a.y, b.y) <= p.y &&
         p.y <= std::max(a.y, b.y);
}

bool meet(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {  // two closed segments
  const int c_side = orient2d(a, b, c), d_side = orient2d(a, b, d);
  const int a_side = orient2d(c, d, a), b_side = orient2d(c, d, b);
  if (c_side * d_side < 0 && a_side * b_side < 0) return true;
  return (c_side == 0 && is_between(c, a, b)) || (d_side == 0 && is_between(d, a, b)) ||
         (a_side == 0 && is_between(a, c, d)) || (b_side == 0 && is_between(b, c, d));
}

size_t tip_of(const Ring& ring) {
  size_t tip = 0;
  for (size_t k = 1; k < ring.size(); ++k)
    if (is_right_of(ring.points[k], ring.points[tip])) tip = k;
  return tip;
}

// Joins holes to the outer ring by pairs of coinciding sides, the hole that reaches farthest along x first. To the
// right of its tip is then the ring, or a hole that has joined it.
class Joining {
 public:
  explicit Joining(Ring outer) : ring_(std::move(outer)) {}

  void join(const Ring& hole) {
    const size_t tip = tip_of(hole);
    splice(hole, tip, corner_seen_from(hole.points[tip]));
  }
  const Ring& ring() const { return ring_; }

 private:
  // The nearest corner to the right that the point sees, or the nearest corner if there is none, as in a ring that
  // crosses itself.
  size_t corner_seen_from(const Vec2& p) const {
    std::vector<std::pair<double, size_t>> near;
    for (size_t k = 0; k < ring_.size(); ++k) {
      const Vec2& q = ring_.points[k];
      const double far = (q.x - p.x) * (q.x - p.x) + (q.y - p.y) * (q.y - p.y);
      near.emplace_back(far, k);
    }
    std::sort(near.begin(), near.end());
    for (const auto& [far, k] : near)
      if (is_right_of(ring_.points[k], p) && sees(p, k)) return k;
    return near[0].second;
  }

  bool sees(const Vec2& p, size_t corner) const {
    const Vec2& q = ring_.points[corner];
    if (!is_in_wedge(p, corner)) return false;
    for (size_t k = 0; k < ring_.size(); ++k) {
      const Vec2 &a = ring_.points[k], &b = ring_.points[ring_.next(k)];
      if (a == q || b == q) {
        const Vec2& other = a == q ? b : a;
        if (orient2d(p, q, other) == 0 && (is_between(other, p, q) || is_between(p, other, q))) return false;
      } else if (meet(p, q, a, b)) {
        return false;
      }
    }
    return true;
  }

  // Whether p is strictly between the two sides of a corner, on the inside.
  bool is_in_wedge(const Vec2& p, size_t corner) const {
    const Vec2 &before = ring_.points[ring_.before(corner)], &at = ring_.points[corner];
    const Vec2& next = ring_.points[ring_.next(corner)];
    const bool left_of_in = orient2d(before, at, p) > 0, left_of_out = orient2d(at, next, p) > 0;
    const int turn = orient2d(before, at, next);
    if (turn == 0 && before == next) return true;  // the end of a bridge
    return turn > 0 ? left_of_in && left_of_out : turn < 0 ? left_of_in || left_of_out : left_of_in;
  }

  // ... corner, tip, round the hole, tip, corner, ...
  void splice(const Ring& hole, size_t tip, size_t corner) {
    Ring with;
    const auto add = [&](const Ring& ring, size_t k) {
      with.vertices.push_back(ring.vertices[k]);
      with.points.push_back(ring.points[k]);
    };
    for (size_t k = 0; k <= corner; ++k) add(ring_, k);
    for (size_t k = 0; k <= hole.size(); ++k) add(hole, (tip + k) % hole.size());
    for (size_t k = corner; k < ring_.size(); ++k) add(ring_, k);
    ring_ = std::move(with);
  }

  Ring ring_;
};

Ring ring_of(std::span<const Vec3> vertices, std::span<const uint32_t> loop, const Projection& flat) {
  Ring ring{{loop.begin(), loop.end()}, {}};
  for (const uint32_t v : loop) ring.points.push_back(flat(vertices[v]));
  return ring;
}

}  // namespace

Outlines outlines_of(std::span<const Vec3> vertices, std::span<const BorderLoop> loops, double tolerance, Run& run) {
  return Nesting(vertices, loops, tolerance, run).outlines();
}

std::vector<Triangle> cap_of(std::span<const Vec3> vertices, std::span<const uint32_t> outer,
                             std::span<const std::span<const uint32_t>> holes) {
  const Projection flat(area_vector(vertices, outer));
  std::vector<Ring> rings;
  for (const auto& hole : holes) rings.push_back(ring_of(vertices, hole, flat));
  std::stable_sort(rings.begin(), rings.end(),
                   [](const Ring& a, const Ring& b) { return is_right_of(a.points[tip_of(a)], b.points[tip_of(b)]); });
  Joining joining(ring_of(vertices, outer, flat));
  for (const Ring& hole : rings) joining.join(hole);
  const Ring& ring = joining.ring();
  std::vector<Triangle> triangles = ears_of(ring.points);
  for (Triangle& t : triangles) t = {ring.vertices[t[0]], ring.vertices[t[1]], ring.vertices[t[2]]};
  return triangles;
}

Caps planar_caps(const MeshView& mesh, double tolerance, Run& run) {
  const std::vector<BorderLoop> loops = border_loops(border_sides(mesh, run));
  const Outlines outlines = outlines_of(mesh.vertices, loops, tolerance, run);
  Caps caps;
  for (const auto& [outer, numbers] : outlines.planar) {
    run.poll();
    std::vector<std::span<const uint32_t>> holes;
    for (const uint32_t hole : numbers) holes.emplace_back(loops[hole].vertices);
    const std::vector<Triangle> cap = cap_of(mesh.vertices, loops[outer].vertices, holes);
    caps.triangles.insert(caps.triangles.end(), cap.begin(), cap.end());
  }
  for (const uint32_t loop : outlines.curved) caps.curved.push_back(loops[loop]);
  return caps;
}

}  // namespace hitbox::internal::borders
