#include "fit/cost/distance_field.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include "geometry/morton.hpp"
#include "mesh/edges.hpp"
#include "mesh/triangulate.hpp"

namespace hitbox::internal::fit {

namespace {

constexpr uint32_t kNone = UINT32_MAX;
// Nodes of the grid. Many small shapes need more nodes than a few large ones: with half as many nodes the mean distance
// is 1 percent larger for 300 shapes, and 6 percent for 1000 shapes.
constexpr double kNodesAShape = 512, kFewestNodes = 1 << 16, kMostNodes = 1 << 19;
constexpr uint32_t kSomeShapes = 256;
constexpr int kMargin = 2;  // nodes around the mesh
// Factor on a distance inside a solid. Nothing can touch that space, but with a factor of 0 shapes would fill solids
// with each other, and every measure over all surfaces would double.
constexpr double kInsideShare = 0.05;
constexpr int kWalk = 8;            // steps over edges; two are nearly always enough
constexpr size_t kBlock = 1 << 12;  // facets
constexpr size_t kSeedBlock = 64;   // facets per block; each may reach across the whole grid

constexpr uint64_t offered(float distance_sq, uint32_t facet) {
  return uint64_t{std::bit_cast<uint32_t>(distance_sq)} << 32 | facet;
}
uint32_t facet_of(uint64_t nearest) { return static_cast<uint32_t>(nearest); }
constexpr uint64_t kNothingNear = offered(std::numeric_limits<float>::infinity(), kNone);
float distance_sq_of(uint64_t nearest) { return std::bit_cast<float>(static_cast<uint32_t>(nearest >> 32)); }

// Truncates a number that is not negative. The conversion to 32 bits takes one instruction; the one to size_t takes a
// branch and several.
size_t to_index(float x) { return static_cast<size_t>(static_cast<int32_t>(x)); }

std::vector<uint32_t> along_curve(std::span<const Vec3> vertices, std::span<const Triangle> triangles) {
  std::vector<Vec3> centers;
  centers.reserve(triangles.size());
  for (const auto& [a, b, c] : triangles) centers.push_back((vertices[a] + vertices[b] + vertices[c]) / 3);
  return morton_order(centers);
}

}  // namespace

DistanceField::DistanceField(const MeshView& mesh, bool solid, std::span<const double> importance, uint32_t shapes,
                             Run& run)
    : solid_(solid) {
  std::vector<Triangle> unsorted = triangles_of(mesh, run);
  const std::vector<uint32_t> order = along_curve(mesh.vertices, unsorted);
  run.poll();
  std::vector<Triangle> triangles;
  triangles.reserve(order.size());
  for (const uint32_t k : order) triangles.push_back(unsorted[k]);
  unsorted = {};
  add_facets(mesh.vertices, triangles, run);
  if (!importance.empty()) {
    std::vector<float> of_triangle;
    for (size_t f = 0; f < mesh.face_count(); ++f)
      of_triangle.insert(of_triangle.end(), mesh.face(f).size() - 2, static_cast<float>(importance[f]));
    for (const uint32_t k : order) importance_.push_back(of_triangle[k]);
  }
  find_neighbours(mesh.vertices, triangles, run);
  lay_grid(mesh, shapes == 0 ? kSomeShapes : shapes);
  run.for_each_block(facets_.size(), kSeedBlock, [&](size_t first, size_t last, size_t) {
    for (size_t facet = first; facet < last; ++facet) seed(static_cast<uint32_t>(facet));
  });
  spread(run);
  facet_of_node_.reserve(nearest_of_node_.size());
  for (const uint64_t nearest : nearest_of_node_) facet_of_node_.push_back(facet_of(nearest));
  nearest_of_node_ = {};
}

void DistanceField::add_facets(std::span<const Vec3> vertices, std::span<const Triangle> triangles, Run& run) {
  facets_.resize(triangles.size());
  run.for_each_block(facets_.size(), kBlock, [&](size_t first, size_t last, size_t) {
    for (size_t k = first; k < last; ++k) {
      const auto& [i, j, l] = triangles[k];
      const Vec3 a = vertices[i], ab = vertices[j] - a, ac = vertices[l] - a;
      const double d00 = norm_sq(ab), d01 = dot(ab, ac), d11 = norm_sq(ac);
      const double determinant = d00 * d11 - d01 * d01;
      // A flatter facet has only edges, because floats cannot decide on which side of it a point is.
      constexpr double kFlat = 1e-5;
      const auto inverse = static_cast<float>(1 / determinant);
      const bool sliver = !(determinant > kFlat * d00 * d11) || !std::isfinite(inverse);
      facets_[k] = {to_float(a),          to_float(ab),         to_float(ac), to_float(normalized(cross(ab, ac), {})),
                    sliver ? 0 : inverse, {kNone, kNone, kNone}};
    }
  });
}

void DistanceField::find_neighbours(std::span<const Vec3> vertices, std::span<const Triangle> triangles, Run& run) {
  static_assert(sizeof(Triangle) == 3 * sizeof(uint32_t));
  const std::span<const uint32_t> indices(reinterpret_cast<const uint32_t*>(triangles.data()), 3 * triangles.size());
  std::vector<uint32_t> offsets(triangles.size() + 1);
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

void DistanceField::lay_grid(const MeshView& mesh, uint32_t shapes) {
  const Bounds box = referenced_bounds(mesh);
  const Vec3 size = box.size() + Vec3{1, 1, 1} * 0.02;
  const double nodes = std::clamp(kNodesAShape * shapes, kFewestNodes, kMostNodes);
  const double spacing = std::cbrt(size.x * size.y * size.z / nodes);
  spacing_ = static_cast<float>(spacing);
  inverse_spacing_ = static_cast<float>(1 / spacing);
  const Vec3 origin = box.low - Vec3{1, 1, 1} * (kMargin * spacing);
  origin_ = {static_cast<float>(origin.x), static_cast<float>(origin.y), static_cast<float>(origin.z)};
  for (int axis = 0; axis < 3; ++axis)
    size_[static_cast<size_t>(axis)] = static_cast<int>(box.size()[axis] / spacing) + 2 * kMargin + 2;
  const auto count = static_cast<size_t>(size_[0]) * static_cast<size_t>(size_[1]) * static_cast<size_t>(size_[2]);
  nearest_of_node_.assign(count, kNothingNear);
}

inline DistanceField::Point DistanceField::to_float(const Vec3& p) {
  return {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)};
}

DistanceField::Point DistanceField::node_point(size_t node) const {
  const auto sx = static_cast<size_t>(size_[0]), sy = static_cast<size_t>(size_[1]);
  return {origin_.x + spacing_ * static_cast<float>(node % sx),
          origin_.y + spacing_ * static_cast<float>(node / sx % sy),
          origin_.z + spacing_ * static_cast<float>(node / (sx * sy))};
}

// Without branches, because the nearest edge, if any, differs for every point.
template <class F>
inline DistanceField::NearOf<F> DistanceField::nearest_of(const PointOf<F>& a, const PointOf<F>& ab,
                                                          const PointOf<F>& ac, const PointOf<F>& normal, F inverse,
                                                          const PointOf<F>& p) {
  using P = PointOf<F>;
  const auto minus = [](const P& u, const P& v) { return P{u.x - v.x, u.y - v.y, u.z - v.z}; };
  const auto product = [](const P& u, const P& v) { return u.x * v.x + u.y * v.y + u.z * v.z; };
  const F zero = all<F>(0), one = all<F>(1), infinity = all<F>(std::numeric_limits<float>::infinity());
  const P ap = minus(p, a);
  const F d00 = product(ab, ab), d01 = product(ab, ac), d11 = product(ac, ac);
  const F d1 = product(ab, ap), d2 = product(ac, ap);
  const F v = (d11 * d1 - d01 * d2) * inverse, w = (d00 * d2 - d01 * d1) * inverse;
  const F height = product(normal, ap);
  // The distance to an edge, with p relative to its first corner. The nearest point lies on an edge that has the point
  // on its outer side. For a sliver that side is unknown.
  const auto is_sliver = inverse <= zero;
  const auto to_edge = [&](auto is_outside, const P& from, const P& along, F length_sq) {
    const F least_length_sq = all<F>(std::numeric_limits<float>::min());
    const F s = least(most(product(from, along) / most(length_sq, least_length_sq), zero), one);
    const P d{from.x - along.x * s, from.y - along.y * s, from.z - along.z * s};
    return select(is_outside | is_sliver, product(d, d), infinity);
  };
  const F to_ab = to_edge(w < zero, ap, ab, d00);
  const F to_bc = to_edge(one < v + w, minus(ap, ab), minus(ac, ab), d00 - (d01 + d01) + d11);
  const F to_ca = to_edge(v < zero, ap, ac, d11);
  const F of_edges = least(least(to_ab, to_bc), to_ca);
  const F edge = select(of_edges < to_ab, select(of_edges < to_bc, all<F>(2), one), zero);
  const auto has_edge = of_edges < infinity;
  return {select(has_edge, of_edges, height * height), height, select(has_edge, edge, all<F>(kNoEdge))};
}

inline DistanceField::Near DistanceField::nearest(uint32_t facet, const Point& p) const {
  const Facet& t = facets_[facet];
  return nearest_of(t.a, t.ab, t.ac, t.normal, t.inverse, p);
}

inline DistanceField::NearOf<Float4> DistanceField::nearest(const std::array<uint32_t, 4>& facets,
                                                            const PointOf<Float4>& p) const {
  std::array<std::array<Float4, 4>, 4> row;  // [quarter of a facet][facet]
  for (size_t k = 0; k < 4; ++k) {
    const auto* const facet = reinterpret_cast<const std::byte*>(&facets_[facets[k]]);
    for (size_t quarter = 0; quarter < 4; ++quarter) row[quarter][k] = load(facet + sizeof(Float4) * quarter);
  }
  for (auto& quarter : row) transpose(quarter[0], quarter[1], quarter[2], quarter[3]);
  const auto& [r, s, t, u] = row;
  return nearest_of<Float4>({r[0], r[1], r[2]}, {r[3], s[0], s[1]}, {s[2], s[3], t[0]}, {t[1], t[2], t[3]}, u[0], p);
}

inline DistanceField::PointOf<Float4> DistanceField::together(const std::array<Point, 4>& p) {
  return {Float4{p[0].x, p[1].x, p[2].x, p[3].x}, Float4{p[0].y, p[1].y, p[2].y, p[3].y},
          Float4{p[0].z, p[1].z, p[2].z, p[3].z}};
}

// The smallest offer wins in any order, so the number of threads does not matter.
void DistanceField::offer(const std::array<size_t, 4>& nodes, uint32_t facet) {
  const PointOf<Float4> points =
      together({node_point(nodes[0]), node_point(nodes[1]), node_point(nodes[2]), node_point(nodes[3])});
  const Float4 distance_sq = nearest({facet, facet, facet, facet}, points).distance_sq;
  for (size_t k = 0; k < 4; ++k) {
    const uint64_t own = offered(distance_sq[k], facet);
    const std::atomic_ref<uint64_t> least_known(nearest_of_node_[nodes[k]]);
    uint64_t known = least_known.load(std::memory_order_relaxed);
    while (own < known && !least_known.compare_exchange_weak(known, own, std::memory_order_relaxed)) {
    }
  }
}

// Offers the facet to the eight nodes around points of it that are half a cell apart. The points form rows along the
// longest edge, so the cost of a sliver is linear in its length.
void DistanceField::seed(uint32_t facet) {
  const Facet& t = facets_[facet];
  const auto plus = [](const Point& a, const Point& b, float s) {
    return Point{a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
  };
  const auto squared = [](const Point& v) { return v.x * v.x + v.y * v.y + v.z * v.z; };
  const Point bc = plus(t.ac, t.ab, -1);
  const float lengths[3] = {squared(t.ab), squared(bc), squared(t.ac)};
  const long longest = std::max_element(lengths, lengths + 3) - lengths;
  // Points from `start` along `row`, in rows that shrink towards the corner at `up`.
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
      const size_t x = to_index((p.x - origin_.x) * inverse_spacing_);
      const size_t y = to_index((p.y - origin_.y) * inverse_spacing_);
      const size_t z = to_index((p.z - origin_.z) * inverse_spacing_);
      const auto sx = static_cast<size_t>(size_[0]), plane = sx * static_cast<size_t>(size_[1]);
      const size_t cell = x + sx * y + plane * z;
      if (cell == last_cell) continue;
      last_cell = cell;
      for (const size_t corner : {cell, cell + plane}) offer({corner, corner + 1, corner + sx, corner + sx + 1}, facet);
    }
  }
}

// Breadth-first search from the nodes at the surface. A node's facet is offered to its six neighbours.
void DistanceField::spread(Run& run) {
  std::vector<uint32_t> front, next;
  for (uint32_t node = 0; node < nearest_of_node_.size(); ++node)
    if (nearest_of_node_[node] != kNothingNear) front.push_back(node);
  const auto sx = static_cast<uint32_t>(size_[0]), sy = static_cast<uint32_t>(size_[1]),
             sz = static_cast<uint32_t>(size_[2]);
  // Offers are collected in groups of four.
  std::array<uint32_t, 4> to{}, facets{};
  size_t waiting = 0;
  const auto measure = [&] {
    if (waiting == 0) return;
    const PointOf<Float4> points =
        together({node_point(to[0]), node_point(to[1]), node_point(to[2]), node_point(to[3])});
    const Float4 distance_sq = nearest(facets, points).distance_sq;
    for (size_t k = 0; k < waiting; ++k) {
      if (!(distance_sq[k] < distance_sq_of(nearest_of_node_[to[k]]))) continue;
      nearest_of_node_[to[k]] = offered(distance_sq[k], facets[k]);
      next.push_back(to[k]);
    }
    waiting = 0;
  };
  while (!front.empty()) {
    run.poll();
    next.clear();
    for (const uint32_t node : front) {
      const uint32_t x = node % sx, y = node / sx % sy, z = node / (sx * sy);
      const uint32_t facet = facet_of(nearest_of_node_[node]);
      const auto reach = [&](bool inside, uint32_t other) {
        if (!inside || facet_of(nearest_of_node_[other]) == facet) return;
        to[waiting] = other;
        facets[waiting] = facet;
        if (++waiting == to.size()) measure();
      };
      reach(x > 0, node - 1);
      reach(x + 1 < sx, node + 1);
      reach(y > 0, node - sx);
      reach(y + 1 < sy, node + sx);
      reach(z > 0, node - sx * sy);
      reach(z + 1 < sz, node + sx * sy);
    }
    measure();
    std::swap(front, next);
  }
}

// Where the walk is stuck, at a corner of the mesh or an open edge, continues at the nearest of the facets of the nodes
// around, if that is closer.
bool DistanceField::step_aside(const Point& q, uint32_t& facet, Near& near) const {
  const auto low = [&](float x, float from, int size) {
    return to_index(std::clamp((x - from) * inverse_spacing_, 0.0f, static_cast<float>(size - 2)));
  };
  const auto row = static_cast<size_t>(size_[0]), plane = row * static_cast<size_t>(size_[1]);
  const size_t cell =
      low(q.x, origin_.x, size_[0]) + row * low(q.y, origin_.y, size_[1]) + plane * low(q.z, origin_.z, size_[2]);
  bool found = false;
  const PointOf<Float4> point = together({q, q, q, q});
  for (const size_t corner : {cell, cell + plane}) {
    const std::array<uint32_t, 4> facets = {facet_of_node_[corner], facet_of_node_[corner + 1],
                                            facet_of_node_[corner + row], facet_of_node_[corner + row + 1]};
    const NearOf<Float4> there = nearest(facets, point);
    for (size_t k = 0; k < 4; ++k) {
      if (!(there.distance_sq[k] < near.distance_sq)) continue;
      facet = facets[k];
      near = {there.distance_sq[k], there.side[k], there.edge[k]};
      found = true;
    }
  }
  return found;
}

inline size_t DistanceField::nearest_node(const Point& q) const {
  const auto place = [&](float x, float low, int size) {
    return to_index(std::clamp((x - low) * inverse_spacing_ + 0.5f, 0.0f, static_cast<float>(size) - 0.5f));
  };
  return place(q.x, origin_.x, size_[0]) +
         static_cast<size_t>(size_[0]) *
             (place(q.y, origin_.y, size_[1]) + static_cast<size_t>(size_[1]) * place(q.z, origin_.z, size_[2]));
}

inline std::array<DistanceField::Found, 4> DistanceField::find(const std::array<Point, 4>& points) const {
  const PointOf<Float4> q = together(points);
  std::array<uint32_t, 4> facet;
  for (size_t k = 0; k < 4; ++k) facet[k] = facet_of_node_[nearest_node(points[k])];
  NearOf<Float4> near = nearest(facet, q);
  Float4 side = near.side;
  const Float4 zero = all<Float4>(0);
  Int4 is_walking = zero <= near.edge;
  for (int step = 0; step < kWalk && any(is_walking); ++step) {
    std::array<uint32_t, 4> other;
    std::array<int32_t, 4> walks;
    for (size_t k = 0; k < 4; ++k) {
      const uint32_t across = facets_[facet[k]].across[to_index(most(near.edge[k], 0.0f))];
      const bool has_next = is_walking[k] != 0 && across != kNone;
      walks[k] = has_next ? -1 : 0;
      other[k] = has_next ? across : facet[k];
    }
    is_walking = Int4{walks[0], walks[1], walks[2], walks[3]};
    const NearOf<Float4> there = nearest(other, q);
    const Int4 is_nearer = is_walking & (there.distance_sq < near.distance_sq);
    // At an edge the sum of both facets' normals decides.
    side = select(is_nearer, there.side, select(is_walking, side + there.side, side));
    near.distance_sq = select(is_nearer, there.distance_sq, near.distance_sq);
    near.edge = select(is_nearer, there.edge, near.edge);
    for (size_t k = 0; k < 4; ++k) facet[k] = is_nearer[k] != 0 ? other[k] : facet[k];
    is_walking = is_nearer & (zero <= near.edge);
  }
  std::array<Found, 4> found;
  for (size_t k = 0; k < 4; ++k) found[k] = {near.distance_sq[k], facet[k], side[k] <= 0};
  return found;
}

// The same walk for a single point, which continues where it is stuck.
DistanceField::Found DistanceField::find_carefully(const Point& q) const {
  uint32_t facet = facet_of_node_[nearest_node(q)];
  Near near = nearest(facet, q);
  float side = near.side;
  for (int step = 0; step < 4 * kWalk && near.edge >= 0; ++step) {
    const uint32_t other = facets_[facet].across[to_index(near.edge)];
    const Near there = other == kNone ? near : nearest(other, q);
    if (there.distance_sq < near.distance_sq) {
      facet = other;
      near = there;
      side = near.side;
    } else if (step_aside(q, facet, near)) {
      side = near.side;
    } else {
      if (other != kNone) side += there.side;
      break;
    }
  }
  return {near.distance_sq, facet, side <= 0};
}

inline double DistanceField::distance_of(const Found& found) const {
  const double distance =
      std::sqrt(static_cast<double>(found.distance_sq)) * (solid_ && found.inside ? kInsideShare : 1.0);
  return importance_.empty() ? distance : distance * static_cast<double>(importance_[found.facet]);
}

inline void DistanceField::measure(std::span<const Vec3> points, std::span<double> distances) const {
  const auto point = [&](size_t k) { return to_float(points[std::min(k, points.size() - 1)]); };
  for (size_t first = 0; first < points.size(); first += 4) {
    const size_t count = std::min<size_t>(4, points.size() - first);
    const std::array<Found, 4> found = find({point(first), point(first + 1), point(first + 2), point(first + 3)});
    for (size_t k = 0; k < count; ++k) distances[first + k] = distance_of(found[k]);
  }
}

HITBOX_AVX2 void DistanceField::measure_with_avx2(std::span<const Vec3> points, std::span<double> distances) const {
  measure(points, distances);
}

void DistanceField::at(std::span<const Vec3> points, std::span<double> distances) const {
  if (has_avx2()) {
    measure_with_avx2(points, distances);
  } else {
    measure(points, distances);
  }
}

double DistanceField::carefully_at(const Vec3& point) const { return distance_of(find_carefully(to_float(point))); }

double DistanceField::to_surface(const Vec3& p) const {
  const Point q = to_float(p);
  return std::sqrt(static_cast<double>(find({q, q, q, q})[0].distance_sq));
}

}  // namespace hitbox::internal::fit
