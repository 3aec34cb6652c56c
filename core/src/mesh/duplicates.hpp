// Finds duplicate faces.
//
// Faces are copies if they have the same set of vertices. A copy has the direction of the first one, the opposite
// direction, or, with four or more corners, another order. Cost: linear, with a hash and a table slot per face.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/mesh.hpp"

namespace hitbox::internal::mesh {

enum class Copy : uint8_t { none, same, opposite, other };  // `none`: the first of its vertices

struct Duplicates {
  std::vector<uint32_t> first;  // per face: the first face with its vertices, which may be itself
  std::vector<Copy> copy;       // per face: its direction compared with that face
  size_t count = 0;             // number of copies
};
Duplicates duplicate_faces(const MeshView& mesh);

size_t count_duplicate_faces(const MeshView& mesh);  // the number of copies, without a list

bool has_repeated_index(std::span<const uint32_t> corners);

}  // namespace hitbox::internal::mesh
