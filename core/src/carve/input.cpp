#include "carve/input.hpp"

#include <cmath>

#include "mesh/clean.hpp"
#include "mesh/components.hpp"
#include "mesh/edges.hpp"
#include "mesh/triangulate.hpp"
#include "parts/cut_planes.hpp"

namespace hitbox::internal::carve {

namespace {

Vec3 unit_normal(const Input& input, uint32_t triangle) {
  const auto& [a, b, c] = input.triangles[triangle];
  return normalized(cross(input.vertices[b] - input.vertices[a], input.vertices[c] - input.vertices[a]), {0, 0, 0});
}

// Edges of two faces that traverse it in opposite directions and face each other.
std::vector<ConcaveEdge> concave_edges(const Input& input, const std::vector<HalfEdge>& half_edges) {
  constexpr double kTurn = 0.05;  // sine of 3 degrees: less is noise
  std::vector<ConcaveEdge> found;
  for_each_edge(half_edges, [&](std::span<const HalfEdge> uses) {
    if (uses.size() != 2 || uses[0].goes_up() == uses[1].goes_up()) return;
    const uint32_t up = uses[0].goes_up() ? uses[0].face() : uses[1].face();
    const uint32_t down = uses[0].goes_up() ? uses[1].face() : uses[0].face();
    const Vec3 from = input.vertices[uses[0].low], to = input.vertices[uses[0].high];
    const Vec3 normals[2] = {unit_normal(input, up), unit_normal(input, down)};
    // Seen along the edge, the surface turns left at a ridge and right in a valley.
    if (dot(cross(normals[0], normals[1]), normalized(to - from)) < -kTurn)
      found.push_back({from, to, {normals[0], normals[1]}, input.component_of[up]});
  });
  return found;
}

void add_flat_sides(Input& input, const std::vector<HalfEdge>& half_edges) {
  constexpr double kAlike = 1 - 1e-9;  // cosine: six digits in a file bend a square by less
  DisjointSets sides(input.triangles.size());
  for_each_edge(half_edges, [&](std::span<const HalfEdge> uses) {
    for (size_t k = 1; k < uses.size(); ++k)
      if (std::abs(dot(unit_normal(input, uses[0].face()), unit_normal(input, uses[k].face()))) > kAlike)
        sides.unite(uses[0].face(), uses[k].face());
  });
  std::vector<uint32_t> number(input.triangles.size());
  for (uint32_t t = 0; t < number.size(); ++t) {
    const uint32_t first = sides.find(t);  // the smallest triangle of its side
    number[t] = first == t ? static_cast<uint32_t>(input.flat_side_count++) : number[first];
  }
  input.flat_side_of = std::move(number);
}

void add_components(Input& input, Run& run) {
  std::vector<std::vector<Triangle>> triangles(input.component_count);
  for (size_t t = 0; t < input.triangles.size(); ++t) triangles[input.component_of[t]].push_back(input.triangles[t]);
  for (const auto& of_component : triangles)
    input.components.push_back(std::make_unique<Input::Component>(input.vertices, of_component, run));
}

}  // namespace

Input carve_input(const MeshView& unit_mesh, const TriangleBvh& surface, double thickness, Run& run) {
  const CleanedMesh cleaned = clean(unit_mesh, {}, "", run).value();
  const MeshView welded{cleaned.vertices, cleaned.indices, unit_mesh.offsets};
  Input input;
  input.vertices = cleaned.vertices;
  input.triangles = triangles_of(welded, run);
  for (uint32_t f = 0; f < welded.face_count(); ++f)
    input.face_of.insert(input.face_of.end(), welded.face(f).size() - 2, f);
  input.surface = &surface;
  input.thickness = thickness;
  input.offsets.push_back(0);
  for (const Triangle& t : input.triangles) {
    input.indices.insert(input.indices.end(), t.begin(), t.end());
    input.offsets.push_back(static_cast<uint32_t>(input.indices.size()));
  }
  const MeshView triangles = input.view();
  Components components = solids_of(triangles, run);
  input.component_of = std::move(components.of_face);
  input.component_count = components.count;
  const std::vector<HalfEdge> half_edges = sorted_half_edges(triangles, run);
  input.concave_edges = concave_edges(input, half_edges);
  input.is_solid = is_closed_solid(triangles, run);
  if (!input.is_solid) add_flat_sides(input, half_edges);
  if (input.is_solid) input.solid.emplace(surface);
  if (input.is_solid && input.component_count > 1 && input.component_count <= kMostComponents)
    add_components(input, run);
  return input;
}

}  // namespace hitbox::internal::carve
