// Which faces share an edge.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"

namespace hitbox::internal::mesh {

struct FacePair {
  uint32_t a, b;  // a < b
  friend auto operator<=>(const FacePair&, const FacePair&) = default;
};

// One pair per two successive faces of an edge: an edge of k faces gives k - 1 pairs, so non-manifold edges connect all
// their faces at no extra cost. A pair may occur more than once. Ordered by edge.
std::vector<FacePair> face_pairs(const MeshView& mesh, Run& run);

}  // namespace hitbox::internal::mesh
