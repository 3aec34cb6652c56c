// Faces that are there twice, as exports have them that are to be seen from both sides: every face of a part has a
// copy with the same corners, mostly the other way round.
#pragma once

#include <optional>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"

namespace hitbox::internal::recognise {

struct OneSided {
  Mesh mesh;                     // with each face once, all of them looking out, or all of them in
  std::vector<uint32_t> number;  // in there, of each face
};

// Nothing where a face has no copy; that shows after a look at a few.
std::optional<OneSided> one_sided(const MeshView& part, Run& run);

}  // namespace hitbox::internal::recognise
