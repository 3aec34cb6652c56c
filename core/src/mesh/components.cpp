#include "mesh/components.hpp"

#include <numeric>

#include "mesh/edge_fan.hpp"

namespace hitbox::internal::mesh {

DisjointSets::DisjointSets(size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0u); }

namespace {

// Numbers sets by their first faces. `set_of(face)` is a number below `most`.
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

// Faces that bound the same solid at an edge of more than two. A face without area there bounds none, and goes with the
// first face.
void unite_around_edge(const MeshView& mesh, std::span<const HalfEdge> uses, DisjointSets& sets) {
  constexpr double kSameAngle = 1e-3;  // files have six digits, and short edges rotate by more
  const EdgeFan fan = edge_fan(mesh, uses, kSameAngle);
  for (const auto& [begin, end] : paired_uses(fan, uses, Side::back).pairs)
    sets.unite(uses[begin].face(), uses[end].face());
  for (const uint32_t use : fan.flat) sets.unite(uses[use].face(), uses[0].face());
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
    else if (uses.size() > 2)
      unite_around_edge(mesh, uses, sets);
  });
  return numbered(faces, faces, [&](uint32_t f) { return sets.find(f); });
}

}  // namespace hitbox::internal::mesh
