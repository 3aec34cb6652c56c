// Divides parts whose faces all lie along one frame (an L, a table, stairs) into few boxes. The planes of the faces
// divide space into cells. Counting faces along a line decides which cells are inside the part. The box of inside cells
// that covers most of the uncovered rest is taken first.
//
// Always holds: the boxes together are the part. Each fragment lies in its box, and the fragments of a face make up the
// whole face, up to 1e-4 of the part's diagonal (files have six digits).
#pragma once

#include <optional>

#include "hitbox/rotation.hpp"
#include "mesh/directions.hpp"

namespace hitbox::internal::recognise {

struct BoxFragment {
  uint32_t face, box;
  std::vector<uint32_t> corners;  // vertices of the part; numbers from vertices.size() on are new ones
};

struct BoxCover {
  Frame frame;
  std::vector<Bounds> boxes;           // in the frame's coordinates
  std::vector<BoxFragment> fragments;  // in the order of the faces
  std::vector<Vec3> new_vertices;
};

// `part` is connected and uses all its vertices. Empty if its faces do not all lie along one frame, if it is not
// closed, or if it needs many boxes.
std::optional<BoxCover> cover_by_boxes(const MeshView& part, const FaceDirections& directions, Run& run);

}  // namespace hitbox::internal::recognise
