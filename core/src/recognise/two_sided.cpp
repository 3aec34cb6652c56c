#include "recognise/two_sided.hpp"

#include <algorithm>
#include <map>

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

// Turns faces so that neighbours go along their common edge in opposite directions: of two copies either may be first.
class Turning {
 public:
  explicit Turning(Mesh& mesh) : mesh_(mesh), done_(mesh.view().face_count()) {
    for (uint32_t f = 0; f < done_.size(); ++f)
      for_each_edge(f, [&](uint32_t a, uint32_t b) { faces_at_[std::minmax(a, b)].push_back(f); });
  }

  void turn() {
    for (uint32_t f = 0; f < done_.size(); ++f) {
      if (done_[f]) continue;
      done_[f] = true;
      open_.push_back(f);
      while (!open_.empty()) {
        const uint32_t next = open_.back();
        open_.pop_back();
        for_each_edge(next, [&](uint32_t a, uint32_t b) { turn_neighbour(a, b); });
      }
    }
  }

 private:
  template <class Body>
  void for_each_edge(uint32_t f, Body&& body) const {
    const auto face = mesh_.view().face(f);
    for (size_t k = 0; k < face.size(); ++k) body(face[k], face[(k + 1) % face.size()]);
  }

  // That which shares the edge from `a` to `b`, where it is one.
  void turn_neighbour(uint32_t a, uint32_t b) {
    const std::vector<uint32_t>& faces = faces_at_[std::minmax(a, b)];
    if (faces.size() != 2) return;
    for (const uint32_t f : faces) {
      if (done_[f]) continue;
      done_[f] = true;
      open_.push_back(f);
      bool same_way = false;
      for_each_edge(f, [&](uint32_t from, uint32_t to) { same_way = same_way || (from == a && to == b); });
      const auto first = mesh_.indices.begin() + mesh_.offsets[f] + 1;  // bent faces keep their first corner
      if (same_way) std::reverse(first, mesh_.indices.begin() + mesh_.offsets[f + 1]);
    }
  }

  Mesh& mesh_;
  std::vector<bool> done_;
  std::vector<uint32_t> open_;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> faces_at_;
};

}  // namespace

std::optional<OneSided> one_sided(const MeshView& part) {
  const size_t count = part.face_count();
  for (const size_t probe : {size_t{0}, count / 2, count - 1})
    if (!has_copy(part, probe)) return std::nullopt;
  OneSided once;
  once.mesh.vertices.assign(part.vertices.begin(), part.vertices.end());
  std::map<std::vector<uint32_t>, uint32_t> number_of;
  for (size_t f = 0; f < count; ++f) {
    const auto next = static_cast<uint32_t>(once.mesh.offsets.size() - 1);
    const auto [known, is_new] = number_of.emplace(sorted_corners(part, f), next);
    once.number.push_back(known->second);
    if (!is_new) continue;
    once.mesh.indices.insert(once.mesh.indices.end(), part.face(f).begin(), part.face(f).end());
    once.mesh.offsets.push_back(static_cast<uint32_t>(once.mesh.indices.size()));
  }
  Turning(once.mesh).turn();
  return once;
}

}  // namespace hitbox::internal::recognise
