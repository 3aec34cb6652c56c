// Disjoint sets over 0 .. size - 1. The root of a set is its smallest member, so that labels do
// not depend on the order of the unions. Path halving: O(log n) a step, amortised.
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
  // True if they were apart.
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

// Faces that hang together through shared vertices.
Components components_of(const MeshView& mesh);

// Faces that hang together through edges. Solids that touch come apart: at an edge of more than two
// faces, those are neighbours that have the same solid between them. Faces look outward.
Components solids_of(const MeshView& mesh, Run& run);

}  // namespace hitbox::internal::mesh
