// Faces that are there more than once.
//
// Faces are copies if they have the same set of vertices. A copy runs the same way as the first one, the opposite way,
// or, with four corners or more, in another order. Cost: linear; a hash and a table slot per face.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/mesh.hpp"

namespace hitbox::internal::mesh {

enum class Copy : uint8_t { none, same, opposite, other };  // `none`: the first of its vertices

struct Duplicates {
  std::vector<uint32_t> first;  // of each face: the first face that has its vertices; itself if it is that
  std::vector<Copy> copy;       // how each face runs, compared with that one
  size_t count = 0;             // of the copies
};
Duplicates duplicate_faces(const MeshView& mesh);

size_t count_duplicate_faces(const MeshView& mesh);  // the copies, without a list of them

bool has_repeated_index(std::span<const uint32_t> corners);

}  // namespace hitbox::internal::mesh
