// The directions in which most of a part's area faces: a box has three, a gable roof four, a ball none.
#pragma once

#include <vector>

#include "base/rooms.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"

namespace hitbox::internal::mesh {

struct Direction {
  Vec3 normal;  // unit vector; its sign has no meaning
  double area;
};

struct FaceDirections {
  std::vector<Direction> main;  // largest area first, including small ones of thin plates
  double main_area = 0, total_area = 0;
};

// Half the cross product of a triangle; a larger polygon is a fan.
Vec3 area_vector(std::span<const Vec3> vertices, std::span<const uint32_t> face);

inline bool are_parallel(const Vec3& a, const Vec3& b) {  // unit vectors, to within 0.01 rad
  return dot(a, b) * dot(a, b) > 1 - 1e-4;
}
inline bool are_perpendicular(const Vec3& a, const Vec3& b) { return std::abs(dot(a, b)) < 1e-3; }

// Finds any direction with a sixteenth of the area, for any order of the faces, and smaller ones if there are few.
FaceDirections face_directions(const MeshView& part, Run& run);

}  // namespace hitbox::internal::mesh
