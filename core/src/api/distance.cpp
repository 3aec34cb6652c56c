#include "hitbox/distance.hpp"

#include "api/door.hpp"
#include "measure/distance.hpp"
#include "measure/inside.hpp"

namespace hitbox {

namespace {

std::optional<Error> wrong(const char* verb, const MeshView& mesh, std::span<const Vec3> queries) {
  if (const auto bounds = internal::mesh::check_mesh(mesh, "mesh"); !bounds) return bounds.error();
  return api::Checks(verb).points("queries", queries).error();
}

}  // namespace

Result<ClosestPoints> closest_points(const MeshView& mesh, std::span<const Vec3> queries, Run& run) {
  if (const auto error = wrong("closest_points", mesh, queries)) return *error;
  auto found = internal::measure::distances_to_mesh(queries, mesh, run);
  std::vector<uint32_t> face_of_triangle;
  face_of_triangle.reserve(mesh.triangle_count());
  for (uint32_t f = 0; f < mesh.face_count(); ++f)
    face_of_triangle.insert(face_of_triangle.end(), mesh.face(f).size() - 2, f);
  ClosestPoints closest{std::move(found.distances), std::move(found.points), std::move(found.triangles)};
  for (uint32_t& number : closest.faces) number = face_of_triangle[number];
  return closest;
}

Result<std::vector<uint8_t>> points_inside(const MeshView& mesh, std::span<const Vec3> queries, Run& run) {
  if (const auto error = wrong("points_inside", mesh, queries)) return *error;
  if (!internal::measure::is_closed_solid(mesh, run)) {
    return Error{
        "points_inside: the mesh is not a closed solid, so it has no inside. Close its holes, and let all faces look "
        "out."};
  }
  return internal::measure::points_inside(queries, mesh, run);
}

}  // namespace hitbox
