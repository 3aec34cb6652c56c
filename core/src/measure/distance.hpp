// Points on surfaces, and distances of points from a mesh.
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
  std::vector<uint32_t> triangles;  // the triangle of each point; never decreasing
};

// `count` points, uniform by area and stratified: the k-th falls into the k-th of `count` equal shares of the area, so
// every triangle gets its share to within one point. Triangles without area get none, unless all are like that: then
// they get equal shares. There must be at least one triangle if count > 0.
SurfaceSamples sample_surface(std::span<const Vec3> vertices, std::span<const Triangle> triangles, size_t count,
                              uint64_t seed);

struct MeshDistances {
  std::vector<double> distances;
  std::vector<Vec3> points;         // the nearest points
  std::vector<uint32_t> triangles;  // polygons as triangles, numbered face by face
};

// The exact distance from each query to the nearest point of the mesh. Cost: O(log n) per query, 2-3 us near the
// surface of a million faces, and several times that if many faces are about equally far.
MeshDistances distances_to_mesh(std::span<const Vec3> queries, const MeshView& mesh, Run& run);

}  // namespace hitbox::internal::measure
