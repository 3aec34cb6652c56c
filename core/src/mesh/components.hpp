// Disjoint sets over 0 .. size - 1. The root of a set is its smallest member, so labels do not depend on the order of
// the unions. With path halving a step takes amortised O(log n).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"

namespace hitbox::internal::mesh {

class DisjointSets {
 public:
  explicit DisjointSets(size_t size);

  uint32_t find(uint32_t element) {
    while (parent_[element] != element) {
      parent_[element] = parent_[parent_[element]];
      element = parent_[element];
    }
    return element;
  }
  // True if they were separate.
  bool unite(uint32_t a, uint32_t b) {
    a = find(a);
    b = find(b);
    if (a == b) return false;
    if (a < b) {
      parent_[b] = a;
    } else {
      parent_[a] = b;
    }
    return true;
  }

 private:
  std::vector<uint32_t> parent_;
};

struct Components {
  std::vector<uint32_t> of_face;  // numbered in the order of their first faces
  size_t count = 0;
};

// Components of faces that share vertices.
Components components_of(const MeshView& mesh);

// Components of faces that share edges. Touching solids are separated: at an edge of more than two faces, two faces are
// neighbours if they enclose the same solid. Faces must face outward.
Components solids_of(const MeshView& mesh, Run& run);

}  // namespace hitbox::internal::mesh
