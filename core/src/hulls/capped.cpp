#include "hulls/capped.hpp"

#include "geometry/progressive_hull.hpp"

namespace hitbox::internal::hulls {

std::optional<PartHull> capped_part_hull(const PartHull& hull, uint32_t most_vertices, double most_outside) {
  const std::vector<Vec3> vertices = progressive_hull(hull.mesh, most_vertices);
  if (vertices.size() > most_vertices) return std::nullopt;
  for (const Vec3& p : vertices)
    if (hull.distance(p) > most_outside) return std::nullopt;
  return part_hull(vertices, 0);
}

}  // namespace hitbox::internal::hulls
