#include "recognise/two_sided.hpp"

#include <algorithm>
#include <utility>

#include "mesh/duplicates.hpp"
#include "mesh/edges.hpp"

namespace hitbox::internal::recognise {

namespace {

std::vector<uint32_t> sorted_corners(const MeshView& mesh, size_t face) {
  std::vector<uint32_t> corners(mesh.face(face).begin(), mesh.face(face).end());
  std::sort(corners.begin(), corners.end());
  return corners;
}

bool has_copy(const MeshView& mesh, size_t face) {
  const std::vector<uint32_t> corners = sorted_corners(mesh, face);
  for (size_t f = 0; f < mesh.face_count(); ++f) {
    const auto other = mesh.face(f);
    if (f == face || other.size() != corners.size()) continue;
    if (std::find(other.begin(), other.end(), corners[0]) != other.end() && sorted_corners(mesh, f) == corners)
      return true;
  }
  return false;
}

// Orients faces so that neighbours traverse their common edge in opposite directions, because either of two copies may
// be first.
class Turning {
 public:
  Turning(Mesh& mesh, Run& run) : mesh_(mesh), neighbours_(mesh.view().face_count()), is_done_(neighbours_.size()) {
    for_each_edge(sorted_half_edges(mesh.view(), run), [&](std::span<const HalfEdge> uses) {
      if (uses.size() != 2) return;
      const bool same_way = uses[0].goes_up() == uses[1].goes_up();
      neighbours_[uses[0].face()].push_back({uses[1].face(), same_way});
      neighbours_[uses[1].face()].push_back({uses[0].face(), same_way});
    });
  }

  void turn() {
    for (uint32_t f = 0; f < is_done_.size(); ++f)
      if (!is_done_[f]) turn_from(f);
  }

 private:
  struct Neighbour {
    uint32_t face;
    bool same_way;  // for the original directions of the faces
  };

  void turn_from(uint32_t start) {
    std::vector<std::pair<uint32_t, bool>> open{{start, false}};  // with a flag for reversed faces
    is_done_[start] = true;
    while (!open.empty()) {
      const auto [face, is_turned] = open.back();
      open.pop_back();
      for (const Neighbour& next : neighbours_[face]) {
        if (is_done_[next.face]) continue;
        is_done_[next.face] = true;
        const bool turns = next.same_way != is_turned;
        if (turns) reverse(next.face);
        open.emplace_back(next.face, turns);
      }
    }
  }

  void reverse(uint32_t f) {
    const auto first = mesh_.indices.begin() + mesh_.offsets[f] + 1;  // because bent faces keep their first corner
    std::reverse(first, mesh_.indices.begin() + mesh_.offsets[f + 1]);
  }

  Mesh& mesh_;
  std::vector<std::vector<Neighbour>> neighbours_;
  std::vector<bool> is_done_;
};

}  // namespace

std::optional<OneSided> one_sided(const MeshView& part, Run& run) {
  const size_t count = part.face_count();
  for (const size_t probe : {size_t{0}, count / 2, count - 1})
    if (!has_copy(part, probe)) return std::nullopt;
  OneSided once;
  once.mesh.vertices.assign(part.vertices.begin(), part.vertices.end());
  const Duplicates duplicates = duplicate_faces(part);
  for (size_t f = 0; f < count; ++f) {
    if (duplicates.copy[f] != Copy::none) {
      once.number.push_back(once.number[duplicates.first[f]]);
      continue;
    }
    once.number.push_back(static_cast<uint32_t>(once.mesh.offsets.size() - 1));
    once.mesh.indices.insert(once.mesh.indices.end(), part.face(f).begin(), part.face(f).end());
    once.mesh.offsets.push_back(static_cast<uint32_t>(once.mesh.indices.size()));
  }
  Turning(once.mesh, run).turn();
  return once;
}

}  // namespace hitbox::internal::recognise
