// Triangulates polygons: as a fan from the first corner, or by ear clipping if a fan would leave the polygon.
//
// A face of n corners always gives n - 2 triangles. They tile it if it is flat and does not cross itself. Cost: O(n)
// for convex faces, O(n^2) for others. Faces of very many corners always become fans.
#pragma once

#include <vector>

#include "base/rooms.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"
#include "hitbox/triangle_mesh.hpp"

namespace hitbox::internal::mesh {

// The corners of `face` (0 .. n - 1), three per triangle; empty if a fan is enough.
std::vector<Triangle> ears_of(std::span<const Vec3> vertices, std::span<const uint32_t> face);

// Calls body(a, b, c) with three vertices for each triangle of the face.
template <class Body>
void for_each_triangle(std::span<const Vec3> vertices, std::span<const uint32_t> face, Body&& body) {
  if (face.size() > 3) {
    if (const auto ears = ears_of(vertices, face); !ears.empty()) {
      for (const auto& [a, b, c] : ears) body(face[a], face[b], face[c]);
      return;
    }
  }
  for (size_t k = 2; k < face.size(); ++k) body(face[0], face[k - 1], face[k]);
}

// The triangles of all faces, in the order of the faces.
std::vector<Triangle> triangles_of(const MeshView& mesh, Run& run);

}  // namespace hitbox::internal::mesh
