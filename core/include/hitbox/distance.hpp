// Distances of points from a mesh, and which points are inside it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hitbox/mesh.hpp"
#include "hitbox/result.hpp"
#include "hitbox/run.hpp"

namespace hitbox {

struct ClosestPoints {  // one of each per query
  std::vector<double> distances;
  std::vector<Vec3> points;
  std::vector<uint32_t> faces;  // the face that each closest point lies on
};

// The exact closest points of the surface. Cost: a few microseconds per query and thread.
Result<ClosestPoints> closest_points(const MeshView& mesh, std::span<const Vec3> queries, Run& run);

// 1 for queries inside a closed mesh, 0 for others, by the even-odd rule: an inner shell is a hole. A point on the
// surface counts as outside. An Error if the mesh is not a closed solid.
Result<std::vector<uint8_t>> points_inside(const MeshView& mesh, std::span<const Vec3> queries, Run& run);

}  // namespace hitbox
