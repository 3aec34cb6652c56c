#include "mesh/canonical.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "geometry/morton.hpp"
#include "mesh/directions.hpp"

namespace hitbox::internal::mesh {

namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr double kFlat = 1e-11;  // fraction of the diagonal

// Whether a polygon is flat and convex, so that its triangulation from any corner is the same surface. A bent or
// self-crossing polygon is not.
bool is_plain(std::span<const Vec3> vertices, std::span<const uint32_t> face, double limit) {
  const Vec3 normal = area_vector(vertices, face);
  const double length = norm(normal);
  Vec3 before;
  for (const uint32_t v : face) {
    const Vec3 side = vertices[v] - vertices[face[0]];
    if (std::abs(dot(normal, side)) > limit * length) return false;
    if (dot(normal, cross(before, side)) < -limit * length * norm(side)) return false;
    before = side;
  }
  return true;
}

// Compares faces by the places of their corners, starting at the smallest.
class FaceOrder {
 public:
  FaceOrder(const MeshView& mesh, std::span<const uint32_t> places, const FaceTraits& traits)
      : mesh_(mesh), places_(places), traits_(traits), first_(mesh.face_count()) {
    for (uint32_t f = 0; f < first_.size(); ++f) first_[f] = first_corner(f);
    find_who_keeps_first();
  }

  CanonicalOrder order() const {
    std::vector<Key> keys(mesh_.face_count());
    for (uint32_t f = 0; f < keys.size(); ++f) keys[f] = {place(f, 0), place(f, 1), place(f, 2), f};
    std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
      if (a.first != b.first) return a.first < b.first;
      if (a.second != b.second) return a.second < b.second;
      if (a.third != b.third) return a.third < b.third;
      return comes_before(a.face, b.face);
    });
    CanonicalOrder order;
    order.faces.reserve(keys.size());
    order.corners.reserve(mesh_.indices.size());
    order.offsets.reserve(keys.size() + 1);
    order.offsets.push_back(0);
    for (const Key& key : keys) {
      order.faces.push_back(key.face);
      const uint32_t first = std::ranges::binary_search(keeps_first_, key.face) ? 0 : first_[key.face];
      for (uint32_t k = 0; k < size(key.face); ++k) order.corners.push_back(corner(key.face, k, first));
      order.offsets.push_back(static_cast<uint32_t>(order.corners.size()));
    }
    return order;
  }

 private:
  struct Key {
    uint32_t first, second, third;  // places; most faces already differ here
    uint32_t face;
  };

  uint32_t size(uint32_t face) const { return mesh_.offsets[face + 1] - mesh_.offsets[face]; }
  uint32_t corner(uint32_t face, uint32_t k, uint32_t first) const {
    return mesh_.offsets[face] + (first + k) % size(face);
  }
  uint32_t corner(uint32_t face, uint32_t k) const { return corner(face, k, first_[face]); }
  uint32_t place(uint32_t face, uint32_t k) const { return places_[mesh_.indices[corner(face, k)]]; }

  // If a vertex occurs twice, the corners after it decide.
  uint32_t first_corner(uint32_t face) const {
    const auto comes_first = [&](uint32_t one, uint32_t other) {
      for (uint32_t k = 0; k < size(face); ++k) {
        const uint32_t a = places_[mesh_.indices[corner(face, k, one)]];
        const uint32_t b = places_[mesh_.indices[corner(face, k, other)]];
        if (a != b) return a < b;
      }
      return false;
    };
    uint32_t first = 0;
    for (uint32_t k = 1; k < size(face); ++k)
      if (comes_first(k, first)) first = k;
    return first;
  }

  // Starts at the first corner in the order, so that rounding does not depend on the corner that the face starts with.
  void find_who_keeps_first() {
    const double limit = kFlat * referenced_bounds(mesh_).diagonal();
    std::vector<uint32_t> face;
    for (uint32_t f = 0; f < first_.size(); ++f) {
      if (size(f) == 3) continue;
      face.clear();
      for (uint32_t k = 0; k < size(f); ++k) face.push_back(mesh_.indices[corner(f, k)]);
      if (!is_plain(mesh_.vertices, face, limit)) keeps_first_.push_back(f);
    }
  }

  bool comes_before(uint32_t a, uint32_t b) const {
    for (uint32_t k = 3; k < std::min(size(a), size(b)); ++k)
      if (place(a, k) != place(b, k)) return place(a, k) < place(b, k);
    if (size(a) != size(b)) return size(a) < size(b);
    const std::span<const uint32_t> group = traits_.group;
    if (!group.empty() && group[a] != group[b]) return group[a] < group[b];
    const std::span<const double> weight = traits_.importance;
    if (!weight.empty() && weight[a] != weight[b]) return weight[a] < weight[b];
    return a < b;
  }

  const MeshView& mesh_;
  std::span<const uint32_t> places_;  // places of vertices
  FaceTraits traits_;
  std::vector<uint32_t> first_;        // first corner of each face
  std::vector<uint32_t> keeps_first_;  // faces that keep their first corner, ascending
};

}  // namespace

// The order follows a Morton curve, and the axes within a cell of it. Orders along the axes alone are as good (12
// meshes with 16 and 64 shapes), but put neighbours in space far apart in memory.
std::vector<uint32_t> places_of(std::span<const Vec3> vertices) {
  const std::vector<uint64_t> codes = morton_codes(vertices);
  std::vector<std::pair<uint64_t, uint32_t>> order(vertices.size());
  for (uint32_t v = 0; v < order.size(); ++v) order[v] = {codes[v], v};
  const auto at = [&](uint32_t v) { return std::tie(vertices[v].x, vertices[v].y, vertices[v].z); };
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : at(a.second) < at(b.second);
  });
  std::vector<uint32_t> places(vertices.size());
  uint32_t place = 0;
  for (size_t k = 0; k < order.size(); ++k) {
    if (k > 0 && at(order[k - 1].second) != at(order[k].second)) ++place;
    places[order[k].second] = place;
  }
  return places;
}

CanonicalOrder canonical_order(const MeshView& mesh, std::span<const uint32_t> places, const FaceTraits& traits) {
  return FaceOrder(mesh, places, traits).order();
}

OrderedVertices ordered_vertices(const MeshView& mesh, std::span<const uint32_t> places, const CanonicalOrder& order) {
  std::vector<uint32_t> number(mesh.vertices.size(), kNone);
  OrderedVertices ordered;
  for (const uint32_t corner : order.corners) {
    const uint32_t v = mesh.indices[corner];
    if (number[v] != kNone) continue;
    number[v] = 0;
    ordered.vertices.push_back(v);
  }
  std::stable_sort(ordered.vertices.begin(), ordered.vertices.end(),
                   [&](uint32_t a, uint32_t b) { return places[a] < places[b]; });
  for (uint32_t k = 0; k < ordered.vertices.size(); ++k) number[ordered.vertices[k]] = k;
  ordered.indices.reserve(order.corners.size());
  for (const uint32_t corner : order.corners) ordered.indices.push_back(number[mesh.indices[corner]]);
  return ordered;
}

std::vector<uint32_t> groups_in_order(std::span<const uint32_t> group_of_face, const CanonicalOrder& order) {
  std::vector<uint32_t> group = in_order<uint32_t>(group_of_face, order.faces);
  if (group.empty()) return group;
  std::vector<uint32_t> number(1 + *std::max_element(group.begin(), group.end()), kNone);
  uint32_t count = 0;
  for (uint32_t& g : group) {
    if (number[g] == kNone) number[g] = count++;
    g = number[g];
  }
  return group;
}

}  // namespace hitbox::internal::mesh
