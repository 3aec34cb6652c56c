// Points on surfaces, and how far points are from a mesh.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bvh/bvh.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"
#include "hitbox/triangle_mesh.hpp"

namespace hitbox::internal::measure {

struct SurfaceSamples {
  std::vector<Vec3> points;
  std::vector<uint32_t> triangles;  // on which each point lies; never decreasing
};

// `count` points, uniform by area and stratified: the k-th falls into the k-th of `count` equal
// shares of the area, so every triangle gets its share to within one point. Triangles without
// area get none, unless all are so: then they share alike. At least one triangle if count > 0.
SurfaceSamples sample_surface(std::span<const Vec3> vertices, std::span<const Triangle> triangles, size_t count,
                              uint64_t seed);

struct MeshDistances {
  std::vector<double> distances;
  std::vector<Vec3> points;         // the nearest ones
  std::vector<uint32_t> triangles;  // polygons as triangles, numbered face by face
};

// From each query to the nearest point of the mesh; exact. O(log n) a query: 2-3 us each near the
// surface of a million faces, several times that where many faces are about equally far.
MeshDistances distances_to_mesh(std::span<const Vec3> queries, const MeshView& mesh, Run& run);

}  // namespace hitbox::internal::measure
