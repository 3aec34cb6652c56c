#include "hitbox/convex_hull.hpp"

#include "api/door.hpp"
#include "geometry/convex_hull.hpp"
#include "hulls/capped_hull.hpp"

namespace hitbox {

Result<Hull> convex_hull(std::span<const Vec3> points) {
  const auto error = api::Checks("convex_hull")
                         .require(!points.empty(), "points: there are none. Give at least three.")
                         .points("points", points)
                         .error();
  if (error) return *error;
  auto found = internal::geometry::convex_hull(points);
  if (!found) return found.error();
  if (found->dimension < 2) return Error{"convex_hull: the points lie on a line, so they have no hull. Give others."};
  return Hull{std::move(found->mesh.vertices), std::move(found->mesh.triangles)};
}

Result<Hull> capped_hull(std::span<const Vec3> points, uint32_t max_vertices, double thickness) {
  const auto error = api::Checks("capped_hull")
                         .require(!points.empty(), "points: there are none. Give at least three.")
                         .points("points", points)
                         .whole("max_vertices", max_vertices, 4, UINT32_MAX)
                         .not_negative("thickness", thickness)
                         .error();
  if (error) return *error;
  auto hull = internal::hulls::capped_hull(points, max_vertices, thickness);
  if (!hull) return Error{"capped_hull: the points lie in a plane, so their hull is flat. Give a thickness above 0."};
  return std::move(*hull);
}

}  // namespace hitbox
