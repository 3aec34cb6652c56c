// A polygon mesh, and the view of it that all methods take.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hitbox/bounds.hpp"
#include "hitbox/vec3.hpp"

namespace hitbox {

// Face f has the corners indices[offsets[f]] .. indices[offsets[f + 1]]. A mesh has at least one face, three or more
// corners per face, indices in range and finite coordinates; public calls check that.
struct MeshView {
  std::span<const Vec3> vertices;
  std::span<const uint32_t> indices;
  std::span<const uint32_t> offsets;

  size_t face_count() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::span<const uint32_t> face(size_t f) const { return indices.subspan(offsets[f], offsets[f + 1] - offsets[f]); }
  size_t triangle_count() const { return indices.size() - 2 * face_count(); }  // over all faces
};

struct Mesh {
  std::vector<Vec3> vertices;
  std::vector<uint32_t> indices;
  std::vector<uint32_t> offsets{0};
  std::vector<uint32_t> part_of_face, material_of_face;  // empty, or one per face
  std::vector<std::string> part_names, material_names;   // names by these numbers; "": no name

  MeshView view() const { return {vertices, indices, offsets}; }
  operator MeshView() const { return view(); }
};

// The bounds of the used vertices, because a stray vertex must not change the diagonal.
Bounds referenced_bounds(const MeshView& mesh);

}  // namespace hitbox
