#include "two_sided.hpp"

#include <algorithm>
#include <map>

namespace hitbox {

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
  return once;
}

}  // namespace hitbox
