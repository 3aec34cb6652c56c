#include "mesh/components.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mesh/edges.hpp"

namespace hitbox::internal::mesh {

DisjointSets::DisjointSets(size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0u); }

namespace {

// Numbered by their first faces; `set_of(face)` is a number below `most`.
template <class SetOf>
Components numbered(size_t faces, size_t most, SetOf&& set_of) {
  constexpr uint32_t kNone = 0xffffffffu;
  std::vector<uint32_t> number(most, kNone);
  Components result;
  result.of_face.resize(faces);
  for (uint32_t f = 0; f < faces; ++f) {
    uint32_t& of_set = number[set_of(f)];
    if (of_set == kNone) of_set = static_cast<uint32_t>(result.count++);
    result.of_face[f] = of_set;
  }
  return result;
}

Vec3 normal_of(const MeshView& mesh, uint32_t f) {
  const auto face = mesh.face(f);
  const Vec3& a = mesh.vertices[face[0]];
  Vec3 normal;
  for (size_t k = 2; k < face.size(); ++k) normal += cross(mesh.vertices[face[k - 1]] - a, mesh.vertices[face[k]] - a);
  return normalized(normal);
}

// Turning about the edge, a solid begins at a face that runs down along it and ends at the next one
// that runs up.
void unite_around_edge(const MeshView& mesh, std::span<const HalfEdge> uses, DisjointSets& sets) {
  constexpr double kSameAngle = 1e-3;  // files have six digits, and short edges turn by more
  struct Around {
    double angle;
    bool up;
    uint32_t face;
  };
  const Vec3 along = normalized(mesh.vertices[uses[0].high] - mesh.vertices[uses[0].low]);
  // Askew to the first face: equal angles must not fall on both ends of the circle.
  const Vec3 first = normal_of(mesh, uses[0].face()), u = first * 0.6 + cross(along, first) * 0.8;
  const Vec3 v = cross(along, u);
  std::vector<Around> around;
  for (const HalfEdge& use : uses) {
    const Vec3 into = cross(normal_of(mesh, use.face()), use.goes_up() ? along : -along);
    around.push_back({std::atan2(dot(into, v), dot(into, u)), use.goes_up(), use.face()});
  }
  const auto by_angle = [](const Around& a, const Around& b) { return a.angle < b.angle; };
  std::stable_sort(around.begin(), around.end(), by_angle);
  // Where two solids meet in one face, the one that ends comes first.
  for (size_t k = 0; k + 1 < around.size(); ++k)
    if (around[k + 1].angle - around[k].angle < kSameAngle && !around[k].up && around[k + 1].up)
      std::swap(around[k], around[k + 1]);
  for (size_t k = 0; k < around.size(); ++k) {
    const Around& next = around[(k + 1) % around.size()];
    if (!around[k].up && next.up) sets.unite(around[k].face, next.face);
  }
}

}  // namespace

Components components_of(const MeshView& mesh) {
  DisjointSets sets(mesh.vertices.size());
  const size_t faces = mesh.face_count();
  for (size_t f = 0; f < faces; ++f) {
    const auto corners = mesh.face(f);
    for (size_t k = 1; k < corners.size(); ++k) sets.unite(corners[0], corners[k]);
  }
  return numbered(faces, mesh.vertices.size(), [&](size_t f) { return sets.find(mesh.face(f)[0]); });
}

Components solids_of(const MeshView& mesh, Run& run) {
  const size_t faces = mesh.face_count();
  DisjointSets sets(faces);
  for_each_edge(sorted_half_edges(mesh, run), [&](std::span<const HalfEdge> uses) {
    if (uses.size() == 2)
      sets.unite(uses[0].face(), uses[1].face());
    else
      unite_around_edge(mesh, uses, sets);
  });
  return numbered(faces, faces, [&](uint32_t f) { return sets.find(f); });
}

}  // namespace hitbox::internal::mesh
