#include "mesh/info.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "mesh/components.hpp"
#include "mesh/edges.hpp"
#include "mesh/triangulate.hpp"

namespace hitbox::internal::mesh {
namespace {

size_t count_distinct(std::span<const uint32_t> values) {
  std::vector<uint32_t> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return static_cast<size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
}

void count_sizes(const MeshView& mesh, MeshInfo& info) {
  for (size_t f = 0; f < mesh.face_count(); ++f) {
    const size_t corners = mesh.face(f).size();
    ++(corners == 3 ? info.triangles : corners == 4 ? info.quads : info.larger);
  }
}

void count_edges(const MeshView& mesh, MeshInfo& info) {
  info.closed = true;
  Run run(1);
  for_each_edge(sorted_half_edges(mesh, run), [&](std::span<const HalfEdge> uses) {
    size_t up = 0;
    for (const HalfEdge& use : uses) up += use.goes_up();
    const size_t count = uses.size();
    ++info.edges;
    if (count == 1) ++info.boundary_edges;
    if (count > 2) ++info.nonmanifold_edges;
    if (count == 2 && up != 1) ++info.inconsistent_edges;
    if (2 * up != count) info.closed = false;
  });
}

// The volume relative to the box's centre, so that a mesh far from the origin loses no digits.
void add_sizes(const MeshView& mesh, MeshInfo& info) {
  const Vec3 center = info.bounds.center();
  double six_volumes = 0;
  for (size_t f = 0; f < mesh.face_count(); ++f) {
    for_each_triangle(mesh.vertices, mesh.face(f), [&](uint32_t i, uint32_t j, uint32_t k) {
      const Vec3 a = mesh.vertices[i] - center, b = mesh.vertices[j] - center, c = mesh.vertices[k] - center;
      info.area += norm(cross(b - a, c - a)) / 2;
      six_volumes += dot(a, cross(b, c));
    });
  }
  if (info.closed) info.volume = six_volumes / 6;
}

}  // namespace

MeshInfo info_of(const MeshView& mesh, std::span<const uint32_t> part_of_face,
                 std::span<const uint32_t> material_of_face) {
  MeshInfo info;
  info.vertices = mesh.vertices.size();
  info.faces = mesh.face_count();
  count_sizes(mesh, info);
  info.parts = count_distinct(part_of_face);
  info.materials = count_distinct(material_of_face);
  info.components_by_index = components_of(mesh).count;
  info.bounds = referenced_bounds(mesh);
  info.diagonal = info.bounds.diagonal();

  Run run(1);
  const auto cleaned = clean(mesh, {}, "", run);
  HITBOX_ASSERT(cleaned.ok());  // only equal vertices are welded, so a mesh with some extent keeps two
  info.cleaning = cleaned.value().report;
  const MeshView welded{cleaned.value().vertices, cleaned.value().indices, mesh.offsets};
  info.components = components_of(welded).count;
  count_edges(welded, info);
  add_sizes(welded, info);
  return info;
}

}  // namespace hitbox::internal::mesh
