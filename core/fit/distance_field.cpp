#include "distance_field.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include "../geometry/morton.hpp"
#include "../mesh/edges.hpp"
#include "../mesh/triangulate.hpp"

namespace hitbox {

namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr double kNodes = 1 << 17;  // twice and four times as many gain one percent of distance
constexpr int kMargin = 2;          // nodes around the mesh
// Of a distance inside a solid. Nothing ever goes there, but with none at all shapes fill solids with
// ever more of each other, and every measure that sees all surfaces doubles.
constexpr double kInsideShare = 0.05;
constexpr int kWalk = 8;            // steps over edges; two do nearly always
constexpr size_t kBlock = 1 << 12;  // facets

constexpr uint64_t offered(float distance_sq, uint32_t facet) {
  return uint64_t{std::bit_cast<uint32_t>(distance_sq)} << 32 | facet;
}
uint32_t facet_of(uint64_t nearest) { return static_cast<uint32_t>(nearest); }
constexpr uint64_t kNothingNear = offered(std::numeric_limits<float>::infinity(), kNone);
float distance_sq_of(uint64_t nearest) { return std::bit_cast<float>(static_cast<uint32_t>(nearest >> 32)); }

std::vector<uint32_t> along_curve(std::span<const Vec3> vertices, std::span<const Triangle> triangles) {
  std::vector<Vec3> centers;
  centers.reserve(triangles.size());
  for (const auto& [a, b, c] : triangles) centers.push_back((vertices[a] + vertices[b] + vertices[c]) / 3);
  return morton_order(centers);
}

}  // namespace

DistanceField::DistanceField(const MeshView& mesh, bool solid, std::span<const double> importance,
                             Run& run)
    : solid_(solid) {
  const std::vector<Triangle> unsorted = triangles_of(mesh, run);
  const std::vector<uint32_t> order = along_curve(mesh.vertices, unsorted);
  std::vector<Triangle> triangles;
  triangles.reserve(order.size());
  for (const uint32_t k : order) triangles.push_back(unsorted[k]);
  add_facets(mesh.vertices, triangles, run);
  if (!importance.empty()) {
    std::vector<float> of_triangle;
    for (size_t f = 0; f < mesh.face_count(); ++f)
      of_triangle.insert(of_triangle.end(), mesh.face(f).size() - 2, static_cast<float>(importance[f]));
    for (const uint32_t k : order) importance_.push_back(of_triangle[k]);
  }
  find_neighbours(mesh.vertices, triangles, run);
  lay_grid(mesh);
  run.for_each_block(facets_.size(), kBlock, [&](size_t first, size_t last, size_t) {
    for (size_t facet = first; facet < last; ++facet) seed(static_cast<uint32_t>(facet));
  });
  spread(run);
  facet_of_node_.reserve(nearest_of_node_.size());
  for (const uint64_t nearest : nearest_of_node_) facet_of_node_.push_back(facet_of(nearest));
  nearest_of_node_ = {};
}

void DistanceField::add_facets(std::span<const Vec3> vertices, std::span<const Triangle> triangles, Run& run) {
  const auto to_float = [](const Vec3& v) {
    return Point{static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
  };
  facets_.resize(triangles.size());
  run.for_each_block(facets_.size(), kBlock, [&](size_t first, size_t last, size_t) {
    for (size_t k = first; k < last; ++k) {
      const auto& [i, j, l] = triangles[k];
      const Vec3 a = vertices[i], ab = vertices[j] - a, ac = vertices[l] - a;
      const double d00 = norm_sq(ab), d01 = dot(ab, ac), d11 = norm_sq(ac);
      const double determinant = d00 * d11 - d01 * d01;
      const bool sliver = !(determinant > 1e-10 * d00 * d11);
      facets_[k] = {to_float(a), to_float(ab), to_float(ac), to_float(normalized(cross(ab, ac), {})),
                    sliver ? 0 : static_cast<float>(1 / determinant), {kNone, kNone, kNone}};
    }
  });
}

void DistanceField::find_neighbours(std::span<const Vec3> vertices, std::span<const Triangle> triangles, Run& run) {
  std::vector<uint32_t> indices, offsets(triangles.size() + 1);
  indices.reserve(3 * triangles.size());
  for (const auto& [a, b, c] : triangles) indices.insert(indices.end(), {a, b, c});
  for (size_t k = 0; k < offsets.size(); ++k) offsets[k] = static_cast<uint32_t>(3 * k);
  const auto edge_of = [&](const HalfEdge& use) {
    const Triangle& corners = triangles[use.face()];
    for (size_t k = 0; k < 3; ++k)
      if (std::minmax(corners[k], corners[(k + 1) % 3]) == std::minmax(use.low, use.high)) return k;
    return size_t{0};
  };
  for_each_edge(sorted_half_edges({vertices, indices, offsets}, run), [&](std::span<const HalfEdge> uses) {
    if (uses.size() != 2 || uses[0].face() == uses[1].face()) return;
    facets_[uses[0].face()].across[edge_of(uses[0])] = uses[1].face();
    facets_[uses[1].face()].across[edge_of(uses[1])] = uses[0].face();
  });
}

void DistanceField::lay_grid(const MeshView& mesh) {
  const Bounds box = referenced_bounds(mesh);
  const Vec3 size = box.size() + Vec3{1, 1, 1} * 0.02;
  const double spacing = std::cbrt(size.x * size.y * size.z / kNodes);
  spacing_ = static_cast<float>(spacing);
  inverse_spacing_ = static_cast<float>(1 / spacing);
  const Vec3 origin = box.low - Vec3{1, 1, 1} * (kMargin * spacing);
  origin_ = {static_cast<float>(origin.x), static_cast<float>(origin.y), static_cast<float>(origin.z)};
  for (int axis = 0; axis < 3; ++axis)
    size_[static_cast<size_t>(axis)] = static_cast<int>(box.size()[axis] / spacing) + 2 * kMargin + 2;
  const auto count = static_cast<size_t>(size_[0]) * static_cast<size_t>(size_[1]) * static_cast<size_t>(size_[2]);
  nearest_of_node_.assign(count, kNothingNear);
}

DistanceField::Point DistanceField::node_point(size_t node) const {
  const auto sx = static_cast<size_t>(size_[0]), sy = static_cast<size_t>(size_[1]);
  return {origin_.x + spacing_ * static_cast<float>(node % sx),
          origin_.y + spacing_ * static_cast<float>(node / sx % sy),
          origin_.z + spacing_ * static_cast<float>(node / (sx * sy))};
}

inline DistanceField::Near DistanceField::nearest(uint32_t facet, const Point& p) const {
  const Facet& t = facets_[facet];
  const auto product = [](const Point& a, const Point& b) { return a.x * b.x + a.y * b.y + a.z * b.z; };
  const Point ap{p.x - t.a.x, p.y - t.a.y, p.z - t.a.z};
  const float d00 = product(t.ab, t.ab), d01 = product(t.ab, t.ac), d11 = product(t.ac, t.ac);
  const float d1 = product(t.ab, ap), d2 = product(t.ac, ap);
  const float v = (d11 * d1 - d01 * d2) * t.inverse, w = (d00 * d2 - d01 * d1) * t.inverse;
  const float height = product(t.normal, ap);
  if (t.inverse > 0 && v >= 0 && w >= 0 && v + w <= 1) return {height * height, height, -1};
  Near best{std::numeric_limits<float>::infinity(), height, 0};
  const auto try_edge = [&](int edge, const Point& from, const Point& along, float length_sq) {
    const float s = length_sq > 0 ? std::clamp(product(from, along) / length_sq, 0.0f, 1.0f) : 0;
    const Point d{from.x - along.x * s, from.y - along.y * s, from.z - along.z * s};
    const float distance_sq = product(d, d);
    if (distance_sq < best.distance_sq) best.distance_sq = distance_sq, best.edge = edge;
  };
  const Point bp{ap.x - t.ab.x, ap.y - t.ab.y, ap.z - t.ab.z};
  const Point bc{t.ac.x - t.ab.x, t.ac.y - t.ab.y, t.ac.z - t.ab.z};
  // The nearest edge is one that has the point on its outer side.
  const bool sliver = !(t.inverse > 0);
  if (sliver || w < 0) try_edge(0, ap, t.ab, d00);
  if (sliver || v + w > 1) try_edge(1, bp, bc, d00 - 2 * d01 + d11);
  if (sliver || v < 0) try_edge(2, ap, t.ac, d11);
  return best;
}

// The least of all offers stays, whatever their order: threads change nothing.
void DistanceField::offer(size_t node, uint32_t facet) {
  const uint64_t own = offered(nearest(facet, node_point(node)).distance_sq, facet);
  const std::atomic_ref<uint64_t> least(nearest_of_node_[node]);
  uint64_t known = least.load(std::memory_order_relaxed);
  while (own < known && !least.compare_exchange_weak(known, own, std::memory_order_relaxed)) {
  }
}

// Offers the facet to the eight nodes around points of it, half a cell apart: rows along the
// longest edge, so that a sliver costs its length and not the square of it.
void DistanceField::seed(uint32_t facet) {
  const Facet& t = facets_[facet];
  const auto plus = [](const Point& a, const Point& b, float s) {
    return Point{a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
  };
  const auto squared = [](const Point& v) { return v.x * v.x + v.y * v.y + v.z * v.z; };
  const Point bc = plus(t.ac, t.ab, -1);
  const float lengths[3] = {squared(t.ab), squared(bc), squared(t.ac)};
  const long longest = std::max_element(lengths, lengths + 3) - lengths;
  // From `start` along `row`, rows shrinking towards the corner `up` away.
  const Point start = longest == 1 ? plus(t.a, t.ab, 1) : t.a;
  const Point row = longest == 0 ? t.ab : longest == 1 ? bc : t.ac;
  const Point up = longest == 0 ? t.ac : longest == 1 ? plus({}, t.ab, -1) : t.ab;
  const float step = 0.5f * spacing_;
  const float row_length = std::sqrt(squared(row));
  const float along = row_length > 0 ? (up.x * row.x + up.y * row.y + up.z * row.z) / row_length : 0;
  const float height = std::sqrt(std::max(squared(up) - along * along, 0.0f));
  const int rows = static_cast<int>(height / step) + 1;
  size_t last_cell = SIZE_MAX;
  for (int r = 0; r <= rows; ++r) {
    const float v = static_cast<float>(r) / static_cast<float>(rows);
    const int columns = static_cast<int>(row_length * (1 - v) / step) + 1;
    for (int c = 0; c <= columns; ++c) {
      const float u = (1 - v) * static_cast<float>(c) / static_cast<float>(columns);
      const Point p = plus(plus(start, row, u), up, v);
      const auto x = static_cast<size_t>((p.x - origin_.x) * inverse_spacing_);
      const auto y = static_cast<size_t>((p.y - origin_.y) * inverse_spacing_);
      const auto z = static_cast<size_t>((p.z - origin_.z) * inverse_spacing_);
      const auto sx = static_cast<size_t>(size_[0]), plane = sx * static_cast<size_t>(size_[1]);
      const size_t cell = x + sx * y + plane * z;
      if (cell == last_cell) continue;
      last_cell = cell;
      for (const size_t node : {cell, cell + 1, cell + sx, cell + sx + 1, cell + plane, cell + plane + 1,
                                cell + plane + sx, cell + plane + sx + 1})
        offer(node, facet);
    }
  }
}

// Breadth first from the nodes at the surface: a node's facet is offered to its six neighbours.
void DistanceField::spread(Run& run) {
  std::vector<uint32_t> front, next;
  for (uint32_t node = 0; node < nearest_of_node_.size(); ++node)
    if (nearest_of_node_[node] != kNothingNear) front.push_back(node);
  const auto sx = static_cast<uint32_t>(size_[0]), sy = static_cast<uint32_t>(size_[1]),
             sz = static_cast<uint32_t>(size_[2]);
  while (!front.empty()) {
    run.poll();
    next.clear();
    for (const uint32_t node : front) {
      const uint32_t x = node % sx, y = node / sx % sy, z = node / (sx * sy);
      const uint32_t facet = facet_of(nearest_of_node_[node]);
      const auto reach = [&](bool inside, uint32_t other) {
        if (!inside || facet_of(nearest_of_node_[other]) == facet) return;
        const float distance_sq = nearest(facet, node_point(other)).distance_sq;
        if (!(distance_sq < distance_sq_of(nearest_of_node_[other]))) return;
        nearest_of_node_[other] = offered(distance_sq, facet);
        next.push_back(other);
      };
      reach(x > 0, node - 1);
      reach(x + 1 < sx, node + 1);
      reach(y > 0, node - sx);
      reach(y + 1 < sy, node + sx);
      reach(z > 0, node - sx * sy);
      reach(z + 1 < sz, node + sx * sy);
    }
    std::swap(front, next);
  }
}

// From where the walk is stuck, at a corner of the mesh or an open edge, to the nearest of the facets that
// the nodes around know, if that is nearer.
bool DistanceField::step_aside(const Point& q, uint32_t& facet, Near& near) const {
  const auto low = [&](float x, float from, int size) {
    return static_cast<size_t>(std::clamp((x - from) * inverse_spacing_, 0.0f, static_cast<float>(size - 2)));
  };
  const auto row = static_cast<size_t>(size_[0]), plane = row * static_cast<size_t>(size_[1]);
  const size_t cell = low(q.x, origin_.x, size_[0]) + row * low(q.y, origin_.y, size_[1]) +
                      plane * low(q.z, origin_.z, size_[2]);
  bool found = false;
  for (const size_t node : {cell, cell + 1, cell + row, cell + row + 1, cell + plane, cell + plane + 1,
                            cell + plane + row, cell + plane + row + 1}) {
    const Near there = nearest(facet_of_node_[node], q);
    if (!(there.distance_sq < near.distance_sq)) continue;
    facet = facet_of_node_[node];
    near = there;
    found = true;
  }
  return found;
}

inline size_t DistanceField::nearest_node(const Point& q) const {
  const auto place = [&](float x, float low, int size) {
    return static_cast<size_t>(std::clamp((x - low) * inverse_spacing_ + 0.5f, 0.0f,
                                          static_cast<float>(size) - 0.5f));
  };
  return place(q.x, origin_.x, size_[0]) +
         static_cast<size_t>(size_[0]) * (place(q.y, origin_.y, size_[1]) +
                                          static_cast<size_t>(size_[1]) * place(q.z, origin_.z, size_[2]));
}

void DistanceField::expect(const Vec3& p) const {
  const size_t node = nearest_node({static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
#if defined(__GNUC__)
  __builtin_prefetch(&facets_[facet_of_node_[node]]);
#else
  (void)node;
#endif
}

inline DistanceField::Found DistanceField::find(const Vec3& p, bool carefully) const {
  const Point q{static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)};
  uint32_t facet = facet_of_node_[nearest_node(q)];
  Near near = nearest(facet, q);
  float side = near.side;
  for (int step = 0; step < (carefully ? 4 * kWalk : kWalk) && near.edge >= 0; ++step) {
    const uint32_t other = facets_[facet].across[static_cast<size_t>(near.edge)];
    const Near there = other == kNone ? near : nearest(other, q);
    if (!(there.distance_sq < near.distance_sq)) {
      if (carefully && step_aside(q, facet, near)) {
        side = near.side;
        continue;
      }
      if (other == kNone) break;
      // At an edge both facets have a say: their common normal decides.
      side += there.side;
      break;
    }
    facet = other;
    near = there;
    side = near.side;
  }
  return {near.distance_sq, facet, side <= 0};
}

double DistanceField::at(const Vec3& p, bool carefully) const {
  const Found found = find(p, carefully);
  const double distance = std::sqrt(static_cast<double>(found.distance_sq)) *
                          (solid_ && found.inside ? kInsideShare : 1.0);
  return importance_.empty() ? distance : distance * static_cast<double>(importance_[found.facet]);
}

double DistanceField::to_surface(const Vec3& p) const {
  return std::sqrt(static_cast<double>(find(p, false).distance_sq));
}

}  // namespace hitbox
