// A plain triangle mesh, used by hulls, tessellated shapes and distance queries.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hitbox/vec3.hpp"

namespace hitbox {

using Triangle = std::array<uint32_t, 3>;  // indices of its corners

struct TriangleMesh {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;  // counter-clockwise as seen from outside
};

}  // namespace hitbox
