#include "geometry/quickhull.hpp"

#include <tuple>

#include "base/assert.hpp"
#include "geometry/predicates.hpp"
#include "hitbox/bounds.hpp"

namespace hitbox::internal::geometry {
namespace {

constexpr uint32_t kNone = 0xffffffff;

struct Facet {
  Vec3 origin, normal;  // the normal's length is twice the area
  double error;         // the sign of above(p) is right if its magnitude exceeds this
  Triangle corner;
  std::array<uint32_t, 3> neighbor;  // neighbour across the edge corner[k] -> corner[k + 1]
  uint32_t first_outside = kNone;    // list of the points that see this facet, linked by next_
  uint32_t furthest = kNone;
  double furthest_above = 0;
  bool alive = true;
  bool visible = false;

  double above(const Vec3& p) const { return dot(normal, p - origin); }
};

class Quickhull {
 public:
  explicit Quickhull(std::span<const Vec3> points)
      : points_(points),
        extent_(bounds_of(points).size()),
        next_(points.size(), kNone),
        facet_from_(points.size(), kNone) {}

  void run(std::array<uint32_t, 4> simplex);
  std::vector<Triangle> facets() const;
  std::vector<Triangle> merged_facets();

 private:
  uint32_t add_facet(uint32_t a, uint32_t b, uint32_t c);
  bool sees(const Facet& facet, uint32_t point, double above) const;
  void assign(uint32_t point, std::span<const uint32_t> candidates);
  void find_visible(uint32_t start, uint32_t point);
  void cover_horizon(uint32_t point);
  void add_point(uint32_t facet);

  bool are_coplanar(const Facet& facet, uint32_t neighbor) const;
  void label_facets();
  void count_facets_at_corners();
  void append_polygon(std::span<const uint32_t> members, std::vector<Triangle>& triangles);

  std::span<const Vec3> points_;
  Vec3 extent_;
  std::vector<uint32_t> next_;        // next point outside the same facet
  std::vector<uint32_t> facet_from_;  // new facet whose edge on the horizon starts here
  std::vector<Facet> facets_;
  std::vector<uint32_t> free_, queue_, visible_, fresh_;

  std::vector<uint32_t> members_, first_member_;  // triangles by merged facet
  std::vector<uint32_t> label_;                   // merged facet of a triangle
  std::vector<uint32_t> facets_at_;               // merged facets around a point
};

uint32_t Quickhull::add_facet(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t id;
  if (free_.empty()) {
    id = static_cast<uint32_t>(facets_.size());
    facets_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  Facet facet;
  facet.corner = {a, b, c};
  facet.origin = points_[a];
  const Vec3 u = points_[b] - facet.origin, v = points_[c] - facet.origin;
  facet.normal = cross(u, v);
  // The largest possible permanent of orient3d, because no point is further from the origin than the extent.
  const Vec3 size = abs(u), other = abs(v);
  facet.error = kOrient3dError *
                ((size.y * other.z + size.z * other.y) * extent_.x + (size.z * other.x + size.x * other.z) * extent_.y +
                 (size.x * other.y + size.y * other.x) * extent_.z);
  facet.error *= 1 + 0x1p-40;  // the bound itself is rounded
  facets_[id] = facet;
  return id;
}

inline bool Quickhull::sees(const Facet& facet, uint32_t point, double above) const {
  if (std::abs(above) > facet.error) return above > 0;
  const auto [a, b, c] = facet.corner;
  return orient3d(points_[a], points_[b], points_[c], points_[point]) > 0;
}

// Assigns the point to the first candidate that it sees. A point that sees none stays inside.
void Quickhull::assign(uint32_t point, std::span<const uint32_t> candidates) {
  const Vec3 p = points_[point];
  for (const uint32_t id : candidates) {
    Facet& facet = facets_[id];
    const double above = facet.above(p);
    if (!sees(facet, point, above)) continue;
    if (facet.first_outside == kNone) queue_.push_back(id);
    next_[point] = facet.first_outside;
    facet.first_outside = point;
    // The smaller index wins ties, so the first of equal points becomes the corner.
    if (facet.furthest == kNone || above > facet.furthest_above ||
        (above == facet.furthest_above && point < facet.furthest)) {
      facet.furthest = point;
      facet.furthest_above = above;
    }
    return;
  }
}

void Quickhull::run(std::array<uint32_t, 4> simplex) {
  auto& [a, b, c, d] = simplex;
  if (orient3d(points_[a], points_[b], points_[c], points_[d]) > 0) std::swap(b, c);
  fresh_ = {add_facet(a, b, c), add_facet(a, d, b), add_facet(b, d, c), add_facet(c, d, a)};
  facets_[0].neighbor = {1, 2, 3};
  facets_[1].neighbor = {3, 2, 0};
  facets_[2].neighbor = {1, 3, 0};
  facets_[3].neighbor = {2, 1, 0};
  for (uint32_t p = 0; p < points_.size(); ++p) assign(p, fresh_);
  for (size_t k = 0; k < queue_.size(); ++k) {
    const Facet& facet = facets_[queue_[k]];
    if (facet.alive && facet.furthest != kNone) add_point(queue_[k]);
  }
}

// The facets that `point` sees are connected (shifted slightly towards the inside, it lies in no facet's plane and sees
// the same facets), so a search from one of them finds all.
void Quickhull::find_visible(uint32_t start, uint32_t point) {
  visible_ = {start};
  facets_[start].visible = true;
  for (size_t k = 0; k < visible_.size(); ++k)
    for (const uint32_t id : facets_[visible_[k]].neighbor) {
      Facet& facet = facets_[id];
      if (facet.visible || !sees(facet, point, facet.above(points_[point]))) continue;
      facet.visible = true;
      visible_.push_back(id);
    }
}

// Makes new facets from the horizon, a simple cycle, to the point. None is degenerate: a point in line with an edge of
// a facet that it sees would lie in that facet's plane.
void Quickhull::cover_horizon(uint32_t point) {
  fresh_.clear();
  for (const uint32_t id : visible_)
    for (size_t k = 0; k < 3; ++k) {
      const uint32_t beyond = facets_[id].neighbor[k];
      if (facets_[beyond].visible) continue;
      const uint32_t from = facets_[id].corner[k], to = facets_[id].corner[(k + 1) % 3];
      const uint32_t made = add_facet(from, to, point);
      facets_[made].neighbor[0] = beyond;
      // Finds the edge by its corners, because two facets of a small hull may share several edges.
      Facet& other = facets_[beyond];
      const size_t edge = other.corner[0] == to ? 0 : other.corner[1] == to ? 1 : 2;
      other.neighbor[edge] = made;
      facet_from_[from] = made;
      fresh_.push_back(made);
    }
  for (const uint32_t id : fresh_) {
    const uint32_t after = facet_from_[facets_[id].corner[1]];
    facets_[id].neighbor[1] = after;
    facets_[after].neighbor[2] = id;
  }
}

void Quickhull::add_point(uint32_t facet) {
  const uint32_t point = facets_[facet].furthest;
  find_visible(facet, point);
  cover_horizon(point);
  for (const uint32_t id : visible_) {
    facets_[id].alive = facets_[id].visible = false;
    for (uint32_t p = facets_[id].first_outside; p != kNone;) {
      const uint32_t after = next_[p];
      if (p != point) assign(p, fresh_);
      p = after;
    }
    facets_[id].furthest = kNone;
  }
  free_.insert(free_.end(), visible_.begin(), visible_.end());
}

std::vector<Triangle> Quickhull::facets() const {
  std::vector<Triangle> triangles;
  triangles.reserve(facets_.size());
  for (const Facet& facet : facets_)
    if (facet.alive) triangles.push_back(facet.corner);
  return triangles;
}

bool Quickhull::are_coplanar(const Facet& facet, uint32_t neighbor) const {
  const Facet& other = facets_[neighbor];
  const Triangle& t = other.corner;
  uint32_t opposite = t[0];
  for (const uint32_t v : t)
    if (v != facet.corner[0] && v != facet.corner[1] && v != facet.corner[2]) opposite = v;
  if (std::abs(facet.above(points_[opposite])) > facet.error) return false;
  return orient3d(points_[facet.corner[0]], points_[facet.corner[1]], points_[facet.corner[2]], points_[opposite]) == 0;
}

// Coplanar neighbours get the same label; members_ lists the triangles label by label.
void Quickhull::label_facets() {
  label_.assign(facets_.size(), kNone);
  for (uint32_t start = 0; start < facets_.size(); ++start) {
    if (!facets_[start].alive || label_[start] != kNone) continue;
    const auto label = static_cast<uint32_t>(first_member_.size());
    first_member_.push_back(static_cast<uint32_t>(members_.size()));
    label_[start] = label;
    members_.push_back(start);
    for (size_t k = first_member_.back(); k < members_.size(); ++k)
      for (const uint32_t id : facets_[members_[k]].neighbor)
        if (label_[id] == kNone && are_coplanar(facets_[members_[k]], id)) {
          label_[id] = label;
          members_.push_back(id);
        }
  }
  first_member_.push_back(static_cast<uint32_t>(members_.size()));
}

// A point inside a merged facet has no edge between merged facets, and a point on an edge has two. Only a point with
// three or more is extreme.
void Quickhull::count_facets_at_corners() {
  facets_at_.assign(points_.size(), 0);
  for (const uint32_t id : members_)
    for (size_t k = 0; k < 3; ++k)
      if (label_[facets_[id].neighbor[k]] != label_[id]) ++facets_at_[facets_[id].corner[k]];
}

// A merged facet is a convex polygon, so its border is one cycle.
void Quickhull::append_polygon(std::span<const uint32_t> members, std::vector<Triangle>& triangles) {
  uint32_t start = kNone;
  std::vector<uint32_t>& after = facet_from_;  // no longer needed for the horizon
  for (const uint32_t id : members)
    for (size_t k = 0; k < 3; ++k)
      if (label_[facets_[id].neighbor[k]] != label_[id]) {
        start = facets_[id].corner[k];
        after[start] = facets_[id].corner[(k + 1) % 3];
      }
  std::vector<uint32_t> polygon;
  uint32_t v = start;
  do {
    if (facets_at_[v] >= 3) polygon.push_back(v);
    v = after[v];
  } while (v != start);
  HITBOX_ASSERT(polygon.size() >= 3);
  const auto smallest = std::min_element(polygon.begin(), polygon.end(), [&](uint32_t a, uint32_t b) {
    const Vec3 &p = points_[a], &q = points_[b];
    return std::tie(p.x, p.y, p.z) < std::tie(q.x, q.y, q.z);
  });
  std::rotate(polygon.begin(), smallest, polygon.end());
  for (size_t k = 1; k + 1 < polygon.size(); ++k) triangles.push_back({polygon[0], polygon[k], polygon[k + 1]});
}

std::vector<Triangle> Quickhull::merged_facets() {
  label_facets();
  count_facets_at_corners();
  std::vector<Triangle> triangles;
  triangles.reserve(members_.size());
  for (size_t label = 0; label + 1 < first_member_.size(); ++label) {
    const auto members = std::span<const uint32_t>(members_).subspan(first_member_[label],
                                                                     first_member_[label + 1] - first_member_[label]);
    if (members.size() == 1)
      triangles.push_back(facets_[members[0]].corner);
    else
      append_polygon(members, triangles);
  }
  return triangles;
}

}  // namespace

std::vector<Triangle> quickhull(std::span<const Vec3> points, std::array<uint32_t, 4> simplex) {
  Quickhull hull(points);
  hull.run(simplex);
  return hull.merged_facets();
}

std::vector<Triangle> quickhull_unmerged(std::span<const Vec3> points, std::array<uint32_t, 4> simplex) {
  Quickhull hull(points);
  hull.run(simplex);
  return hull.facets();
}

}  // namespace hitbox::internal::geometry
