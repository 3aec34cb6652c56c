#include "mesh/triangulate.hpp"

#include "base/vec2.hpp"
#include "geometry/ears.hpp"

namespace hitbox::internal::mesh {

namespace {

constexpr size_t kMostCorners = 2000;

// Projects the polygon against `normal`, so that it turns counter-clockwise.
std::vector<Vec2> flattened(std::span<const Vec3> vertices, std::span<const uint32_t> face, const Vec3& normal) {
  const Vec3 size = abs(normal);
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  const bool flip = normal[axis] < 0;
  const int u = (axis + (flip ? 2 : 1)) % 3, v = (axis + (flip ? 1 : 2)) % 3;
  std::vector<Vec2> flat;
  for (const uint32_t k : face) flat.push_back({vertices[k][u], vertices[k][v]});
  return flat;
}

}  // namespace

std::vector<Triangle> ears_of(std::span<const Vec3> vertices, std::span<const uint32_t> face) {
  const Vec3& first = vertices[face[0]];
  const auto part = [&](size_t k) { return cross(vertices[face[k - 1]] - first, vertices[face[k]] - first); };
  Vec3 normal;
  for (size_t k = 2; k < face.size(); ++k) normal += part(k);
  bool turns_back = false;
  for (size_t k = 2; k < face.size(); ++k) turns_back = turns_back || dot(part(k), normal) < 0;
  if (!turns_back || face.size() > kMostCorners) return {};

  return geometry::ears_of(flattened(vertices, face, normal));
}

std::vector<Triangle> triangles_of(const MeshView& mesh, Run& run) {
  std::vector<Triangle> triangles(mesh.triangle_count());
  run.for_each_block(mesh.face_count(), 1 << 13, [&](size_t first, size_t last, size_t) {
    size_t next = mesh.offsets[first] - 2 * first;  // each earlier face has two corners more than triangles
    for (size_t f = first; f < last; ++f)
      for_each_triangle(mesh.vertices, mesh.face(f), [&](uint32_t a, uint32_t b, uint32_t c) {
        triangles[next++] = {a, b, c};
      });
  });
  return triangles;
}

}  // namespace hitbox::internal::mesh
