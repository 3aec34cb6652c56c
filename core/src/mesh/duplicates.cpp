#include "mesh/duplicates.hpp"

#include <algorithm>

#include "mesh/hash_table.hpp"

namespace hitbox::internal::mesh {
namespace {

std::vector<uint32_t> vertex_set(std::span<const uint32_t> corners) {
  std::vector<uint32_t> set(corners.begin(), corners.end());
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
  return set;
}

bool same_vertices(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  if (a.size() != 3 || b.size() != 3) return vertex_set(a) == vertex_set(b);
  const auto has = [](std::span<const uint32_t> face, uint32_t v) {
    return face[0] == v || face[1] == v || face[2] == v;
  };
  return has(b, a[0]) && has(b, a[1]) && has(b, a[2]) && has(a, b[0]) && has(a, b[1]) && has(a, b[2]);
}

uint64_t hash_of_set(std::span<const uint32_t> corners) {
  uint64_t sum = 0;  // order does not count
  if (has_repeated_index(corners)) {
    for (const uint32_t v : vertex_set(corners)) sum += mix(v + 1);
  } else {
    for (const uint32_t v : corners) sum += mix(v + uint64_t{1});
  }
  return mix(sum);
}

// Calls body(face, first) for each copy.
template <class Body>
void for_each_copy(const MeshView& mesh, Body&& body) {
  const size_t faces = mesh.face_count();
  std::vector<uint64_t> hashes(faces);
  for (size_t f = 0; f < faces; ++f) hashes[f] = hash_of_set(mesh.face(f));
  HashTable table(faces);
  constexpr size_t kAhead = 16;
  for (size_t f = 0; f < faces; ++f) {
    if (f + kAhead < faces) table.prefetch(hashes[f + kAhead]);
    const auto face = static_cast<uint32_t>(f);
    const uint32_t found = table.find_or_add(hashes[f], face, [&](uint32_t other) {
      return hashes[other] == hashes[f] && same_vertices(mesh.face(other), mesh.face(f));
    });
    if (found != face) body(face, found);
  }
}

bool is_rotation(std::span<const uint32_t> a, std::span<const uint32_t> b, bool backwards) {
  const size_t count = a.size();
  if (b.size() != count) return false;
  for (size_t shift = 0; shift < count; ++shift) {
    size_t k = 0;
    while (k < count && a[k] == b[(backwards ? shift + count - k : shift + k) % count]) ++k;
    if (k == count) return true;
  }
  return false;
}

}  // namespace

Duplicates duplicate_faces(const MeshView& mesh) {
  Duplicates result;
  result.first.resize(mesh.face_count());
  result.copy.resize(mesh.face_count());
  for (uint32_t f = 0; f < result.first.size(); ++f) result.first[f] = f;
  for_each_copy(mesh, [&](uint32_t face, uint32_t first) {
    const auto a = mesh.face(first), b = mesh.face(face);
    result.first[face] = first;
    result.copy[face] = is_rotation(a, b, false) ? Copy::same : is_rotation(a, b, true) ? Copy::opposite : Copy::other;
    ++result.count;
  });
  return result;
}

size_t count_duplicate_faces(const MeshView& mesh) {
  size_t count = 0;
  for_each_copy(mesh, [&](uint32_t, uint32_t) { ++count; });
  return count;
}

bool has_repeated_index(std::span<const uint32_t> corners) {
  if (corners.size() == 3) {
    return corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0];
  }
  if (corners.size() > 16) return vertex_set(corners).size() != corners.size();
  for (size_t k = 1; k < corners.size(); ++k) {
    for (size_t j = 0; j < k; ++j) {
      if (corners[j] == corners[k]) return true;
    }
  }
  return false;
}

}  // namespace hitbox::internal::mesh
