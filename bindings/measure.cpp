#include <nanobind/stl/tuple.h>

#include "bindings.hpp"
#include "measure/distance.hpp"
#include "measure/inside.hpp"

namespace hitbox::bindings {
namespace {

std::span<const Triangle> view(const Triangles& triangles) {
  return {reinterpret_cast<const Triangle*>(triangles.data()), triangles.shape(0)};
}

void check_indices(std::span<const uint32_t> indices, size_t vertices) {
  for (const uint32_t v : indices)
    if (v >= vertices) throw nb::index_error("an index points past the last vertex.");
}

void check_mesh_view(const MeshView& mesh) {
  check_indices(mesh.indices, mesh.vertices.size());
  bool good = mesh.offsets.size() > 1 && mesh.offsets.front() == 0 &&
              mesh.offsets.back() == mesh.indices.size();
  for (size_t f = 0; good && f < mesh.face_count(); ++f)
    good = mesh.offsets[f + 1] >= mesh.offsets[f] + 3 && mesh.offsets[f + 1] <= mesh.indices.size();
  if (!good) throw nb::value_error("offsets must cut the indices into faces of three or more.");
}

auto closest_points(const Points& points, const Points& vertices, const Indices& indices,
                    const Indices& offsets, unsigned threads, nb::object report) {
  const MeshView mesh = bindings::view(vertices, indices, offsets);
  check_mesh_view(mesh);
  MeshDistances found = PyRun(threads, std::move(report))(
      [&](Run& run) { return distances_to_mesh(bindings::view(points), mesh, run); });
  return std::tuple(to_numpy(std::move(found.distances)),
                        rows_to_numpy<Vec3>(std::move(found.points)),
                        to_numpy(std::move(found.triangles)));
}

auto sample_surface_of(const Points& vertices, const Triangles& triangles, size_t count,
                       uint64_t seed) {
  check_indices({triangles.data(), 3 * triangles.shape(0)}, vertices.shape(0));
  if (triangles.shape(0) == 0 && count > 0)
    throw nb::value_error("sample_surface: there are no triangles to draw points on.");
  SurfaceSamples samples = [&] {
    nb::gil_scoped_release quiet;
    return sample_surface(bindings::view(vertices), view(triangles), count, seed);
  }();
  return std::tuple(rows_to_numpy<Vec3>(std::move(samples.points)),
                        to_numpy(std::move(samples.triangles)));
}

auto inside_of(const Points& points, const Points& vertices, const Indices& indices,
               const Indices& offsets, unsigned threads, nb::object report) {
  const MeshView mesh = bindings::view(vertices, indices, offsets);
  check_mesh_view(mesh);
  auto* kept = new std::vector<uint8_t>(PyRun(threads, std::move(report))(
      [&](Run& run) { return points_inside(bindings::view(points), mesh, run); }));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<uint8_t>*>(p); });
  return nb::ndarray<nb::numpy, bool, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

bool is_solid(const Points& vertices, const Indices& indices, const Indices& offsets,
              nb::object report) {
  const MeshView mesh = bindings::view(vertices, indices, offsets);
  check_mesh_view(mesh);
  return PyRun(1, std::move(report))([&](Run& run) { return is_closed_solid(mesh, run); });
}

void bind_inside(nb::module_& m) {
  m.def("points_inside", inside_of, "points"_a, "vertices"_a, "indices"_a, "offsets"_a,
        "threads"_a = 0, "report"_a = nb::none(),
        "Which points lie inside a closed mesh, even-odd; a point on the surface does not.");
  m.def("is_closed_solid", is_solid, "vertices"_a, "indices"_a, "offsets"_a,
        "report"_a = nb::none(),
        "Equal vertices welded: every edge has two faces, one each way, and the volume is positive.");
}

}  // namespace

void bind_measure(nb::module_& m) {
  bind_inside(m);
  m.def("closest_points", closest_points, "points"_a, "vertices"_a, "indices"_a, "offsets"_a,
        "threads"_a = 0, "report"_a = nb::none(),
        "(distances, points, triangles) of the nearest points of a mesh; polygons count as fans.");
  m.def("sample_surface", sample_surface_of, "vertices"_a, "triangles"_a, "count"_a, "seed"_a = 0,
        "(points, triangles): points uniform by area, and the triangles they lie on.");
}

}  // namespace hitbox::bindings
