// Parts whose faces all lie along one frame (an L, a table, stairs) as the fewest boxes: the planes
// of the faces cut space into cells, those inside the part are known by counting faces along a
// line, and the box of such cells that covers most of what is not covered yet is taken first.
//
// Always holds: the boxes together are the part; each fragment lies in its box, and the fragments of
// a face are the whole face, up to 1e-4 of the part's diagonal (files have six digits).
#pragma once

#include <optional>

#include "hitbox/rotation.hpp"
#include "mesh/directions.hpp"

namespace hitbox::internal::recognise {

struct BoxFragment {
  uint32_t face, box;
  std::vector<uint32_t> corners;  // vertices of the part; from vertices.size() on, new ones
};

struct BoxCover {
  Frame frame;
  std::vector<Bounds> boxes;           // in the frame's coordinates
  std::vector<BoxFragment> fragments;  // in the order of the faces
  std::vector<Vec3> new_vertices;
};

// `part` hangs together and uses all its vertices. Nothing if its faces are not all along one frame,
// it is not closed, or it takes many boxes.
std::optional<BoxCover> cover_by_boxes(const MeshView& part, const FaceDirections& directions, Run& run);

}  // namespace hitbox::internal::recognise
