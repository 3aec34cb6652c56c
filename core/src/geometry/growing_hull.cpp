#include "geometry/growing_hull.hpp"

#include <algorithm>
#include <tuple>

#include "base/assert.hpp"
#include "geometry/convex_hull.hpp"
#include "geometry/predicates.hpp"

namespace hitbox::internal::geometry {

namespace {

constexpr uint32_t kNone = 0xffffffff;

// The neighbours of closed triangles, across the edge corner[k] -> corner[k + 1].
std::vector<Triangle> neighbors_of(std::span<const Triangle> triangles) {
  struct Edge {
    uint32_t low, high, triangle, k;
  };
  std::vector<Edge> edges;
  for (uint32_t t = 0; t < triangles.size(); ++t)
    for (uint32_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(triangles[t][k], triangles[t][(k + 1) % 3]);
      edges.push_back({low, high, t, k});
    }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
  });
  std::vector<Triangle> neighbors(triangles.size());
  for (size_t e = 0; e + 1 < edges.size(); e += 2) {
    HITBOX_ASSERT(edges[e].low == edges[e + 1].low && edges[e].high == edges[e + 1].high);
    neighbors[edges[e].triangle][edges[e].k] = edges[e + 1].triangle;
    neighbors[edges[e + 1].triangle][edges[e + 1].k] = edges[e].triangle;
  }
  return neighbors;
}

}  // namespace

std::optional<GrowingHull> GrowingHull::around(std::span<const Vec3> points) {
  Result<ConvexHull> found = convex_hull(points);
  if (!found.ok() || found.value().dimension < 3) return std::nullopt;
  const TriangleMesh& mesh = found.value().mesh;
  GrowingHull hull;
  hull.points_ = mesh.vertices;
  hull.facet_from_.resize(hull.points_.size());
  for (const Vec3& p : hull.points_) hull.inside_ += p / static_cast<double>(hull.points_.size());
  for (const auto& [a, b, c] : mesh.triangles) {
    hull.new_facet(a, b, c);
    hull.volume_ += dot(hull.facets_.back().normal, hull.points_[a] - hull.points_[0]) / 6;
  }
  for (double* x : {&hull.inside_.x, &hull.inside_.y, &hull.inside_.z}) *x = scaled_exactly(*x, 1);
  hull.is_inside_certain_ = std::all_of(mesh.triangles.begin(), mesh.triangles.end(), [&](const Triangle& t) {
    return orient3d(hull.points_[t[0]], hull.points_[t[1]], hull.points_[t[2]], hull.inside_) < 0;
  });
  const std::vector<Triangle> neighbors = neighbors_of(mesh.triangles);
  for (size_t k = 0; k < neighbors.size(); ++k) hull.facets_[k].neighbor = neighbors[k];
  return hull;
}

uint32_t GrowingHull::new_facet(uint32_t a, uint32_t b, uint32_t c) {
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
  const Vec3 u = points_[b] - points_[a], v = points_[c] - points_[a];
  facet.normal = cross(u, v);
  const Vec3 size = abs(u), other = abs(v);  // orient3d's permanent, without the third factor
  facet.error = Vec3{size.y * other.z + size.z * other.y, size.z * other.x + size.x * other.z,
                     size.x * other.y + size.y * other.x} *
                (kOrient3dError * (1 + 0x1p-40));  // the bound itself is rounded
  facets_[id] = facet;
  ++alive_;
  return id;
}

bool GrowingHull::sees(const Facet& facet, const Vec3& point) const {
  const Vec3 from = point - points_[facet.corner[0]];
  const double above = dot(facet.normal, from);
  if (std::abs(above) > dot(facet.error, abs(from))) return above > 0;
  return orient3d(points_[facet.corner[0]], points_[facet.corner[1]], points_[facet.corner[2]], point) > 0;
}

// Walks over the facets to the exit of the ray from the inside through the point. Each step crosses an edge that
// separates the facet from the ray. Seen from inside, the facets are a regular triangulation of the directions, in
// which such a walk never returns. The point is inside if the last facet does not see it.
uint32_t GrowingHull::first_seen(const Vec3& point) const {
  uint32_t at = start_ < facets_.size() && facets_[start_].is_alive ? start_ : 0;
  while (!facets_[at].is_alive) ++at;
  for (size_t steps = is_inside_certain_ ? facets_.size() : 0; steps > 0; --steps) {
    const Facet& facet = facets_[at];
    if (sees(facet, point)) return at;
    uint32_t next = kNone;
    for (size_t k = 0; k < 3 && next == kNone; ++k)
      if (orient3d(inside_, points_[facet.corner[k]], points_[facet.corner[(k + 1) % 3]], point) < 0)
        next = facet.neighbor[k];
    if (next == kNone) return kNone;
    at = next;
  }
  for (uint32_t k = 0; k < facets_.size(); ++k)  // should not be reached, but is always right
    if (facets_[k].is_alive && sees(facets_[k], point)) return k;
  return kNone;
}

// The facets that a point sees are connected (see geometry/quickhull), so a search from one of them finds all.
void GrowingHull::find_visible(uint32_t start, const Vec3& point) {
  visible_ = {start};
  facets_[start].is_visible = true;
  for (size_t k = 0; k < visible_.size(); ++k)
    for (const uint32_t id : facets_[visible_[k]].neighbor) {
      Facet& facet = facets_[id];
      if (facet.is_visible || !sees(facet, point)) continue;
      facet.is_visible = true;
      visible_.push_back(id);
    }
}

// By its corners: two facets may share more than one edge while the hull is small.
void GrowingHull::replace_neighbor(uint32_t facet, uint32_t edge_from, uint32_t by) {
  Facet& other = facets_[facet];
  const size_t edge = other.corner[0] == edge_from ? 0 : other.corner[1] == edge_from ? 1 : 2;
  other.neighbor[edge] = by;
}

void GrowingHull::cover_horizon(uint32_t point) {
  fresh_.clear();
  for (const uint32_t id : visible_)
    for (size_t k = 0; k < 3; ++k) {
      const uint32_t beyond = facets_[id].neighbor[k];
      if (facets_[beyond].is_visible) continue;
      const uint32_t from = facets_[id].corner[k], to = facets_[id].corner[(k + 1) % 3];
      const uint32_t made = new_facet(from, to, point);
      facets_[made].neighbor[0] = beyond;
      replace_neighbor(beyond, to, made);
      facet_from_[from] = made;
      fresh_.push_back(made);
    }
  for (const uint32_t id : fresh_) {
    const uint32_t after = facet_from_[facets_[id].corner[1]];
    facets_[id].neighbor[1] = after;
    facets_[after].neighbor[2] = id;
  }
}

bool GrowingHull::add(const Vec3& point) {
  const uint32_t start = first_seen(point);
  if (start == kNone) return false;
  find_visible(start, point);
  steps_.push_back({removed_.size(), made_.size(), volume_});
  for (const uint32_t id : visible_) volume_ += dot(facets_[id].normal, point - points_[facets_[id].corner[0]]) / 6;
  const auto number = static_cast<uint32_t>(points_.size());
  points_.push_back(point);
  facet_from_.push_back(kNone);
  cover_horizon(number);
  for (const uint32_t id : visible_) facets_[id].is_alive = facets_[id].is_visible = false;
  alive_ -= visible_.size();
  start_ = fresh_[0];
  removed_.insert(removed_.end(), visible_.begin(), visible_.end());
  made_.insert(made_.end(), fresh_.begin(), fresh_.end());
  return true;
}

// The furthest first, because most of the others are then inside in their turn.
size_t GrowingHull::add(std::span<const Vec3> points) {
  std::vector<std::pair<double, uint32_t>> order;
  order.reserve(points.size());
  for (uint32_t k = 0; k < points.size(); ++k) order.emplace_back(-norm_sq(points[k] - inside_), k);
  std::sort(order.begin(), order.end());
  size_t count = 0;
  for (const auto& [distance, k] : order) count += add(points[k]);
  return count;
}

void GrowingHull::take_back(const Step& step) {
  for (size_t k = step.first_made; k < made_.size(); ++k) {
    facets_[made_[k]].is_alive = false;
    free_.push_back(made_[k]);
  }
  alive_ -= made_.size() - step.first_made;
  const auto removed = std::span(removed_).subspan(step.first_removed);
  for (const uint32_t id : removed) facets_[id].is_alive = true;
  alive_ += removed.size();
  // Restores the links of their neighbours across the horizon; links among themselves never changed.
  for (const uint32_t id : removed)
    for (size_t k = 0; k < 3; ++k) replace_neighbor(facets_[id].neighbor[k], facets_[id].corner[(k + 1) % 3], id);
  made_.resize(step.first_made);
  removed_.resize(step.first_removed);
  points_.pop_back();
  facet_from_.pop_back();
  volume_ = step.volume;
}

void GrowingHull::undo(Mark mark) {
  for (; steps_.size() > mark; steps_.pop_back()) take_back(steps_.back());
}

void GrowingHull::commit() {
  free_.insert(free_.end(), removed_.begin(), removed_.end());
  removed_.clear();
  made_.clear();
  steps_.clear();
}

bool GrowingHull::contains(const Vec3& point) const { return first_seen(point) == kNone; }

TriangleMesh GrowingHull::mesh() const {
  std::vector<uint32_t> number(points_.size(), kNone);
  for (const Facet& facet : facets_)
    if (facet.is_alive)
      for (const uint32_t v : facet.corner) number[v] = 0;
  TriangleMesh mesh;
  for (size_t v = 0; v < points_.size(); ++v)
    if (number[v] == 0) {
      number[v] = static_cast<uint32_t>(mesh.vertices.size());
      mesh.vertices.push_back(points_[v]);
    }
  for (const Facet& facet : facets_) {
    if (!facet.is_alive) continue;
    Triangle t = {number[facet.corner[0]], number[facet.corner[1]], number[facet.corner[2]]};
    std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
    mesh.triangles.push_back(t);
  }
  std::sort(mesh.triangles.begin(), mesh.triangles.end());
  return mesh;
}

Bounds GrowingHull::changed_since(Mark mark) const {
  Bounds box;
  if (mark >= steps_.size()) return box;
  const auto add_facets = [&](std::span<const uint32_t> facets) {
    for (const uint32_t id : facets)
      for (const uint32_t v : facets_[id].corner) box.add(points_[v]);
  };
  add_facets(std::span(removed_).subspan(steps_[mark].first_removed));
  add_facets(std::span(made_).subspan(steps_[mark].first_made));
  return box;
}

}  // namespace hitbox::internal::geometry
