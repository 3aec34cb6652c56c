#include "geometry/progressive_hull.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <queue>
#include <tuple>

#include "base/mat3.hpp"
#include "geometry/eigen3.hpp"
#include "geometry/linear_program.hpp"
#include "hitbox/bounds.hpp"
#include "hitbox/rotation.hpp"

namespace hitbox::internal::geometry {

namespace {

// All lengths are in the coordinates of Place.
constexpr double kSliver = 1e-7;      // the plane of a lower triangle is too inexact
constexpr double kOutside = 1e-9;     // tolerance on the wrong side of a plane
constexpr double kReach = 2;          // limit of the coordinates of vertices
constexpr double kWorthwhile = 1e-6;  // six times the least volume that a move must save

// Coordinates in which the hull is centred at the origin and equally wide in all directions. The map keeps ratios of
// volumes and sides of planes, and turns a plate into a solid whose facets have planes as exact as those of a ball.
struct Place {
  explicit Place(std::span<const Vec3> points);
  Vec3 to_local(const Vec3& p) const {
    const Vec3 d = frame.to_local(p - center);
    return {d.x / size.x, d.y / size.y, d.z / size.z};
  }
  Vec3 to_world(const Vec3& p) const { return center + frame.to_world({p.x * size.x, p.y * size.y, p.z * size.z}); }

  Vec3 center, size;
  Frame frame;
};

Place::Place(std::span<const Vec3> points) {
  const Bounds box = bounds_of(points);
  const double share = 1 / static_cast<double>(points.size());
  Vec3 sum;
  for (const Vec3& p : points) sum += (p - box.low) * share;
  center = box.low + sum;
  Sym3 spread;
  for (const Vec3& p : points) spread = spread + Sym3::outer((p - center) / box.diagonal(), share);
  frame = eigen3(spread).vectors;
  Bounds local;
  for (const Vec3& p : points) local.add(frame.to_local(p - center));
  size = local.size();
}

struct Facet {
  Triangle corner{};
  HalfSpace plane{};
  double area = 0;  // 0: a sliver, whose plane is meaningless
  bool alive = true;

  bool has(uint32_t v) const { return corner[0] == v || corner[1] == v || corner[2] == v; }
};

struct Collapse {
  double cost;  // the volume it adds
  uint32_t a, b;
  uint32_t version;  // of both ends at the time of the computation
  Vec3 point;

  // Reversed, because the queue has its largest element on top.
  friend bool operator<(const Collapse& x, const Collapse& y) {
    return std::tie(x.cost, x.a, x.b) > std::tie(y.cost, y.a, y.b);
  }
};

class ProgressiveHull {
 public:
  explicit ProgressiveHull(const TriangleMesh& hull);
  void reduce_to(size_t most_vertices);
  void tighten();
  std::vector<Vec3> vertices() const;  // in the coordinates of the input

 private:
  Facet facet_of(const Triangle& corner) const;
  void add_facet(const Triangle& corner);
  void remove_facet(uint32_t facet);
  uint32_t facet_with_edge(uint32_t from, uint32_t to) const;
  bool find_star(uint32_t a, uint32_t b);
  std::optional<Collapse> best_collapse(uint32_t a, uint32_t b);
  void offer(uint32_t a, uint32_t b);
  void offer_edges_of(uint32_t v);
  void offer_all();
  bool holds(const Vec3& p) const;
  bool turns_rim_over(const Vec3& p) const;
  bool keeps_convex(const Collapse& collapse);
  void perform(const Collapse& collapse);
  HalfSpace tangent_through(uint32_t from, uint32_t to, uint32_t next, const Vec3& normal) const;
  bool move_in(uint32_t v);
  uint32_t version_of(uint32_t a, uint32_t b) const { return versions_[a] + versions_[b]; }

  static constexpr uint32_t kNone = 0xffffffff;
  Place place_;
  std::vector<Vec3> inner_;  // the points to enclose
  std::vector<Vec3> points_;
  std::vector<Facet> facets_;
  std::vector<uint32_t> free_;                    // unused places in facets_
  std::vector<std::vector<uint32_t>> facets_at_;  // per vertex; empty: the vertex was removed
  std::vector<uint32_t> versions_;                // per vertex: counts changes around it
  std::priority_queue<Collapse> queue_;
  size_t vertex_count_;
  // The facets at both ends of the current edge, the edges around them, and the facets beyond these.
  std::vector<uint32_t> star_, beyond_;
  std::vector<std::array<uint32_t, 2>> rim_;
  std::vector<HalfSpace> constraints_;
};

ProgressiveHull::ProgressiveHull(const TriangleMesh& hull)
    : place_(hull.vertices),
      facets_at_(hull.vertices.size()),
      versions_(hull.vertices.size(), 0),
      vertex_count_(hull.vertices.size()) {
  for (const Vec3& v : hull.vertices) points_.push_back(place_.to_local(v));
  inner_ = points_;
  for (const Triangle& t : hull.triangles) add_facet(t);
}

Facet ProgressiveHull::facet_of(const Triangle& corner) const {
  const Vec3 &a = points_[corner[0]], &b = points_[corner[1]], &c = points_[corner[2]];
  const Vec3 doubled = cross(b - a, c - a);
  const double length = norm(doubled);
  const double base = std::sqrt(std::max({norm_sq(b - a), norm_sq(c - b), norm_sq(a - c)}));
  if (!(length > kSliver * base)) return {corner, {}, 0};
  const Vec3 normal = doubled / length;
  return {corner, {normal, dot(normal, a)}, length / 2};
}

void ProgressiveHull::add_facet(const Triangle& corner) {
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(facets_.size()));
    facets_.emplace_back();
  }
  const uint32_t facet = free_.back();
  free_.pop_back();
  facets_[facet] = facet_of(corner);
  for (const uint32_t v : corner) facets_at_[v].push_back(facet);
}

void ProgressiveHull::remove_facet(uint32_t facet) {
  facets_[facet].alive = false;
  free_.push_back(facet);
  for (const uint32_t v : facets_[facet].corner) std::erase(facets_at_[v], facet);
}

uint32_t ProgressiveHull::facet_with_edge(uint32_t from, uint32_t to) const {
  for (const uint32_t f : facets_at_[from]) {
    const Triangle& t = facets_[f].corner;
    if ((t[0] == from && t[1] == to) || (t[1] == from && t[2] == to) || (t[2] == from && t[0] == to)) return f;
  }
  return kNone;
}

// False if a b is not an edge, or if collapsing it would fold the surface onto itself.
bool ProgressiveHull::find_star(uint32_t a, uint32_t b) {
  star_.clear();
  beyond_.clear();
  rim_.clear();
  int shared = 0;
  for (const uint32_t f : facets_at_[a]) {
    star_.push_back(f);
    shared += facets_[f].has(b);
  }
  for (const uint32_t f : facets_at_[b])
    if (!facets_[f].has(a)) star_.push_back(f);
  if (shared != 2) return false;
  for (const uint32_t f : star_) {
    const Triangle& t = facets_[f].corner;
    for (size_t k = 0; k < 3; ++k) {
      const uint32_t from = t[k], to = t[(k + 1) % 3];
      if (from == a || from == b || to == a || to == b) continue;
      const uint32_t across = facet_with_edge(to, from);
      if (across == kNone || facets_[across].has(a) || facets_[across].has(b)) return false;
      rim_.push_back({from, to});
      beyond_.push_back(across);
    }
  }
  return true;
}

bool ProgressiveHull::holds(const Vec3& p) const {
  return std::all_of(constraints_.begin(), constraints_.end(),
                     [&](const HalfSpace& h) { return h.above(p) <= kOutside; });
}

// Whether a triangle from an edge of the rim to `p` would face inward, which can happen within a plane.
bool ProgressiveHull::turns_rim_over(const Vec3& p) const {
  return std::any_of(rim_.begin(), rim_.end(), [&](const auto& edge) {
    const Vec3 &from = points_[edge[0]], &to = points_[edge[1]];
    return dot(cross(from - p, to - p), p) < -kOutside;
  });
}

std::optional<Collapse> ProgressiveHull::best_collapse(uint32_t a, uint32_t b) {
  if (!find_star(a, b)) return std::nullopt;
  constraints_.clear();
  Vec3 uphill;
  double level = 0;
  for (const uint32_t f : star_) {
    const Facet& facet = facets_[f];
    if (facet.area == 0) continue;
    constraints_.push_back({-facet.plane.normal, -facet.plane.offset});
    uphill += facet.plane.normal * facet.area;
    level += facet.plane.offset * facet.area;
  }
  for (const uint32_t f : beyond_)
    if (facets_[f].area > 0) constraints_.push_back(facets_[f].plane);
  // One end is enough if the other lies in a flat or straight part of the surface.
  const auto point = holds(points_[a])   ? std::optional(points_[a])
                     : holds(points_[b]) ? std::optional(points_[b])
                                         : lowest_point(uphill, constraints_, kReach);
  if (!point || !holds(*point)) return std::nullopt;
  const double cost = (dot(uphill, *point) - level) / 3;
  return Collapse{cost, a, b, version_of(a, b), *point};
}

void ProgressiveHull::offer(uint32_t a, uint32_t b) {
  if (const auto collapse = best_collapse(std::min(a, b), std::max(a, b))) queue_.push(*collapse);
}

void ProgressiveHull::offer_edges_of(uint32_t v) {
  std::vector<uint32_t> around;
  for (const uint32_t f : facets_at_[v])
    for (size_t k = 0; k < 3; ++k)
      if (facets_[f].corner[k] == v) around.push_back(facets_[f].corner[(k + 1) % 3]);
  for (const uint32_t w : around) offer(v, w);
}

void ProgressiveHull::offer_all() {
  for (const Facet& facet : facets_) {
    if (!facet.alive) continue;
    for (size_t k = 0; k < 3; ++k)
      if (facet.corner[k] < facet.corner[(k + 1) % 3]) offer(facet.corner[k], facet.corner[(k + 1) % 3]);
  }
}

// The point must not see a facet further away, which can happen with nearly equal planes.
bool ProgressiveHull::keeps_convex(const Collapse& collapse) {
  if (!find_star(collapse.a, collapse.b) || turns_rim_over(collapse.point)) return false;
  return std::none_of(facets_.begin(), facets_.end(), [&](const Facet& facet) {
    return facet.alive && facet.area > 0 && !facet.has(collapse.a) && !facet.has(collapse.b) &&
           facet.plane.above(collapse.point) > kOutside;
  });
}

void ProgressiveHull::perform(const Collapse& collapse) {
  for (const uint32_t f : std::vector(star_)) remove_facet(f);
  points_[collapse.a] = collapse.point;
  for (const auto& [from, to] : rim_) add_facet({collapse.a, from, to});
  --vertex_count_;
  ++versions_[collapse.a];
  for (const auto& edge : rim_) ++versions_[edge[0]];
  offer_edges_of(collapse.a);
}

void ProgressiveHull::reduce_to(size_t most_vertices) {
  bool fresh = false;  // all edges were priced since the last collapse
  while (vertex_count_ > most_vertices) {
    if (queue_.empty()) {
      if (fresh) return;
      offer_all();
      fresh = true;
      continue;
    }
    const Collapse next = queue_.top();
    queue_.pop();
    if (next.version != version_of(next.a, next.b)) {
      if (!facets_at_[next.a].empty() && !facets_at_[next.b].empty()) offer(next.a, next.b);
    } else if (keeps_convex(next)) {
      perform(next);
      fresh = false;
    }
  }
}

// The plane that the third corner of the facet over the edge from -> to must stay above: the facet's plane, rotated
// about the edge until it touches an inner point or `next`, the next corner of the rim.
HalfSpace ProgressiveHull::tangent_through(uint32_t from, uint32_t to, uint32_t next, const Vec3& normal) const {
  const Vec3& origin = points_[from];
  const Vec3 along = normalized(points_[to] - origin), across = cross(normal, along);
  double best = -2, out = 1, down = 0;
  const auto turn_to = [&](const Vec3& p) {
    const Vec3 d = p - origin;
    // Points lie above the facet only by rounding, which must not turn a flat angle into zero.
    const double x = dot(d, across), h = std::max(-dot(d, normal), 0.0), length_sq = x * x + h * h;
    if (length_sq < kOutside * kOutside) return;
    const double cosine = x * std::abs(x) / length_sq;  // squared, with its sign
    if (cosine <= best) return;
    best = cosine;
    out = x / std::sqrt(length_sq);
    down = h / std::sqrt(length_sq);
  };
  turn_to(points_[next]);
  for (const Vec3& p : inner_) turn_to(p);
  const Vec3 turned = normal * out + across * down;
  return {turned, dot(turned, origin)};
}

// Moves a vertex to the position of least volume while the others stay. A facet over an edge of the rim is above all
// inner points if its third corner is above one plane through that edge, so this is a linear program too.
bool ProgressiveHull::move_in(uint32_t v) {
  constraints_.clear();
  rim_.clear();
  Vec3 uphill;
  for (const uint32_t f : facets_at_[v]) {
    const Triangle& t = facets_[f].corner;
    const size_t k = t[0] == v ? 0 : t[1] == v ? 1 : 2;
    const uint32_t from = t[(k + 1) % 3], to = t[(k + 2) % 3];
    const uint32_t beyond = facet_with_edge(to, from), ahead = facet_with_edge(v, to);
    if (facets_[f].area == 0 || facets_[beyond].area == 0) return false;
    const Triangle& a = facets_[ahead].corner;
    const uint32_t next = a[0] == v ? a[2] : a[1] == v ? a[0] : a[1];
    const HalfSpace tangent = tangent_through(from, to, next, facets_[f].plane.normal);
    constraints_.push_back({-tangent.normal, -tangent.offset});
    constraints_.push_back(facets_[beyond].plane);
    rim_.push_back({from, to});
    uphill += cross(points_[from], points_[to]);
  }
  const auto point = lowest_point(uphill, constraints_, kReach);
  if (!point || !(dot(uphill, *point - points_[v]) < -kWorthwhile) || !holds(*point) || turns_rim_over(*point))
    return false;
  points_[v] = *point;
  for (const uint32_t f : std::vector(facets_at_[v])) facets_[f] = facet_of(facets_[f].corner);
  return true;
}

void ProgressiveHull::tighten() {
  constexpr int kSweeps = 2;  // a third sweep saves less than a hundredth of these
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool moved = false;
    for (uint32_t v = 0; v < points_.size(); ++v)
      if (!facets_at_[v].empty() && move_in(v)) moved = true;
    if (!moved) return;
  }
}

std::vector<Vec3> ProgressiveHull::vertices() const {
  std::vector<Vec3> result;
  for (size_t v = 0; v < points_.size(); ++v)
    if (!facets_at_[v].empty()) result.push_back(place_.to_world(points_[v]));
  return result;
}

}  // namespace

std::vector<Vec3> progressive_hull(const TriangleMesh& hull, uint32_t most_vertices) {
  ProgressiveHull surface(hull);
  surface.reduce_to(most_vertices);
  surface.tighten();
  return surface.vertices();
}

}  // namespace hitbox::internal::geometry
