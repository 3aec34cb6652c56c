// Removes duplicate faces, which exports use to make a part visible from both sides: every face has a copy with the
// same corners, usually reversed.
#pragma once

#include <optional>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"

namespace hitbox::internal::recognise {

struct OneSided {
  Mesh mesh;                     // with each face once, all facing outward or all inward
  std::vector<uint32_t> number;  // per face: its number in `mesh`
};

// Empty if a face has no copy, which is usually found after a few faces.
std::optional<OneSided> one_sided(const MeshView& part, Run& run);

}  // namespace hitbox::internal::recognise
