// The canonical order of the faces, corners and vertices of a mesh.
//
// Every greedy step breaks ties by number, and machine-made meshes are full of ties: on one castle the order of faces
// alone changed the mean distance by 40 %. So fit first numbers everything by position, and maps the faces of its
// result back.
//
// Always holds: a mesh gives the same arrays for any order of faces and vertices, and for any first corner of flat,
// convex faces. (For other faces the first corner selects the triangulation, so it matters.) The input order only
// breaks ties between faces identical in position, group and importance. Cost: O(n log n), 0.15 microseconds per face.
#pragma once

#include "base/rooms.hpp"
#include "hitbox/mesh.hpp"

namespace hitbox::internal::mesh {

// The place of each vertex in the order. Vertices at one point share a place.
std::vector<uint32_t> places_of(std::span<const Vec3> vertices);

struct CanonicalOrder {
  std::vector<uint32_t> faces;    // the mesh's faces in their new order
  std::vector<uint32_t> corners;  // the positions in its indices, face by face
  std::vector<uint32_t> offsets;  // offsets of the faces in `corners`
};

// What tells faces with the same corners apart: each is empty, or has one value per face.
struct FaceTraits {
  std::span<const uint32_t> group;
  std::span<const double> importance;
};

// By the places of the faces' corners; faces that have the same ones by their traits.
CanonicalOrder canonical_order(const MeshView& mesh, std::span<const uint32_t> places, const FaceTraits& traits);

struct OrderedVertices {
  std::vector<uint32_t> vertices;  // the used vertices of the mesh in their new order
  std::vector<uint32_t> indices;   // of the ordered faces, as positions in `vertices`
};

// Sorts vertices by place. Vertices of one place follow the order in which the ordered faces use them.
OrderedVertices ordered_vertices(const MeshView& mesh, std::span<const uint32_t> places, const CanonicalOrder& order);

// The values of vertices or faces in the new order.
template <class T>
std::vector<T> in_order(std::span<const T> values, std::span<const uint32_t> order) {
  std::vector<T> result;
  if (values.empty()) return result;
  result.reserve(order.size());
  for (const uint32_t k : order) result.push_back(values[k]);
  return result;
}

// The groups of the ordered faces, numbered as these come by them.
std::vector<uint32_t> groups_in_order(std::span<const uint32_t> group_of_face, const CanonicalOrder& order);

}  // namespace hitbox::internal::mesh
