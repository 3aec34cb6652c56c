#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include "measure/certify.hpp"
#include "measure/collider_measure.hpp"
#include "measure/distance.hpp"
#include "measure/inside.hpp"
#include "measure/mesh_moments.hpp"
#include "measure/union_moments.hpp"
#include "mesh/clean.hpp"
#include "shapes.hpp"

namespace hitbox::bindings {

using namespace internal::measure;
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
  bool good = mesh.offsets.size() > 1 && mesh.offsets.front() == 0 && mesh.offsets.back() == mesh.indices.size();
  for (size_t f = 0; good && f < mesh.face_count(); ++f)
    good = mesh.offsets[f + 1] >= mesh.offsets[f] + 3 && mesh.offsets[f + 1] <= mesh.indices.size();
  if (!good) throw nb::value_error("offsets must cut the indices into faces of three or more.");
}

bool is_within(const Vec3& p) { return is_finite(p) && max_component(abs(p)) <= kLargestCoordinate; }

auto closest_points(const Points& points, const Points& vertices, const Indices& indices, const Indices& offsets,
                    unsigned threads, nb::object report) {
  const MeshView mesh = bindings::view(vertices, indices, offsets);
  check_mesh_view(mesh);
  MeshDistances found =
      PyRun(threads, std::move(report))([&](Run& run) { return distances_to_mesh(bindings::view(points), mesh, run); });
  return std::tuple(to_numpy(std::move(found.distances)), rows_to_numpy<Vec3>(std::move(found.points)),
                    to_numpy(std::move(found.triangles)));
}

auto sample_surface_of(const Points& vertices, const Triangles& triangles, size_t count, uint64_t seed) {
  check_indices({triangles.data(), 3 * triangles.shape(0)}, vertices.shape(0));
  if (triangles.shape(0) == 0 && count > 0)
    throw nb::value_error("sample_surface: there are no triangles to draw points on.");
  SurfaceSamples samples = [&] {
    nb::gil_scoped_release quiet;
    return sample_surface(bindings::view(vertices), view(triangles), count, seed);
  }();
  return std::tuple(rows_to_numpy<Vec3>(std::move(samples.points)), to_numpy(std::move(samples.triangles)));
}

auto inside_of(const Points& points, const Points& vertices, const Indices& indices, const Indices& offsets,
               unsigned threads, nb::object report) {
  const MeshView mesh = bindings::view(vertices, indices, offsets);
  check_mesh_view(mesh);
  auto* kept = new std::vector<uint8_t>(
      PyRun(threads, std::move(report))([&](Run& run) { return points_inside(bindings::view(points), mesh, run); }));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<uint8_t>*>(p); });
  return nb::ndarray<nb::numpy, bool, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

bool is_solid(const Points& vertices, const Indices& indices, const Indices& offsets, nb::object report) {
  const MeshView mesh = bindings::view(vertices, indices, offsets);
  check_mesh_view(mesh);
  return PyRun(1, std::move(report))([&](Run& run) { return is_closed_solid(mesh, run); });
}

// x -> (x - origin) / unit, so that lengths are near 1 for any mesh.
auto shape_union(const Crossings& crossings, std::array<double, 3> origin, double unit, unsigned threads,
                 nb::object report) {
  if (crossings.empty()) throw nb::value_error("a collider has at least one shape.");
  std::vector<Shape> shapes;
  const Vec3 to{origin[0], origin[1], origin[2]};
  for (const auto& [kind, params, triangles] : crossings) {
    shapes.push_back(transformed(transformed(to_shape(kind, params, triangles), {{}, -to, 1}), {{}, {}, 1 / unit}));
    const Bounds box = bounds(shapes.back());
    if (!is_within(box.low) || !is_within(box.high))
      throw nb::value_error("a shape's coordinates are too large or not finite.");
  }
  return PyRun(threads,
               std::move(report))([&](Run& run) { return std::make_unique<ShapeUnion>(std::move(shapes), run); });
}

auto surface_samples(const ShapeUnion& collider, size_t count, uint64_t seed, double offset, unsigned threads,
                     nb::object report) {
  std::vector<uint8_t> hidden;
  ColliderSamples samples = PyRun(threads, std::move(report))([&](Run& run) {
    run.enter("samples", 0, 1);
    ColliderSamples drawn = sample_surfaces(collider, count, seed, run);
    hidden = hidden_samples(collider, drawn, offset, run);
    return drawn;
  });
  return std::tuple(rows_to_numpy<Vec3>(std::move(samples.points)), rows_to_numpy<Vec3>(std::move(samples.normals)),
                    to_numpy(std::move(samples.owners)), to_numpy(std::move(hidden)));
}

auto facts_of_each(const ShapeUnion& collider) {
  std::vector<std::tuple<double, double, uint32_t, uint32_t>> facts;
  for (const ShapeFacts& f : collider.facts()) facts.emplace_back(f.volume, f.smallest_extent, f.corners, f.polygons);
  return facts;
}

nb::typed<nb::dict, nb::str, nb::any> certificate(const ShapeUnion& collider, const Points& vertices,
                                                  const Indices& indices, const Indices& offsets,
                                                  const CertifyOptions& options, unsigned threads, nb::object report) {
  const MeshView mesh = bindings::view(vertices, indices, offsets);
  check_mesh_view(mesh);
  for (const uint32_t v : mesh.indices)
    if (!is_within(mesh.vertices[v])) throw nb::value_error("a vertex is too far out or not finite.");
  const Certificate found =
      PyRun(threads, std::move(report))([&](Run& run) { return certify(mesh, collider, options, run); });
  const auto pair = [](const Interval& interval) { return std::pair(interval.low, interval.high); };
  nb::typed<nb::dict, nb::str, nb::any> d;
  d["all_surfaces"] = pair(found.all_surfaces);
  d["mean_all"] = pair(found.mean_all);
  d["outer_surface"] = pair(found.outer_surface);
  d["sticks_out"] = pair(found.sticks_out);
  d["complete"] = found.complete;
  d["patches"] = found.patches;
  return d;
}

void bind_certify(nb::class_<ShapeUnion>& collider) {
  const CertifyOptions defaults{};
  collider.def(
      "certify",
      [](const ShapeUnion& shapes, const Points& vertices, const Indices& indices, const Indices& offsets,
         double offset, double resolution, size_t budget, unsigned threads, nb::object report) {
        return certificate(shapes, vertices, indices, offsets, {offset, resolution, budget}, threads,
                           std::move(report));
      },
      "vertices"_a, "indices"_a, "offsets"_a, "offset"_a, "resolution"_a = defaults.resolution,
      "budget"_a = defaults.budget, "threads"_a = 0, "report"_a = nb::none(),
      "Bounds (low, high) of the distances between the shapes and a mesh, in diagonals, and whether\n"
      "all are as narrow as the resolution. A point inside another shape, moved out by `offset` of the\n"
      "diagonal, is not outer surface.");
}

void bind_collider(nb::module_& m) {
  nb::class_<ShapeUnion> bound(m, "ShapeUnion");
  bind_certify(bound);
  bound.def("facts", facts_of_each, "(volume, smallest extent, corners, polygons) of each shape.")
      .def("sample", surface_samples, "count"_a, "seed"_a, "offset"_a, "threads"_a = 0, "report"_a = nb::none(),
           "(points, normals, owners, hidden): points on the shapes' true surfaces, uniform by area; "
           "hidden ones lie inside another shape when moved out by `offset`.")
      .def(
          "distances_outside",
          [](const ShapeUnion& collider, const Points& points, unsigned threads, nb::object report) {
            return to_numpy(PyRun(threads, std::move(report))([&](Run& run) {
              run.enter("coverage", 0, 1);
              return distances_outside(collider, bindings::view(points), run);
            }));
          },
          "points"_a, "threads"_a = 0, "report"_a = nb::none(),
          "How far each point is outside the union of the shapes; 0 inside.")
      .def(
          "union_volume",
          [](const ShapeUnion& collider, size_t count, uint64_t seed, unsigned threads, nb::object report) {
            const UnionVolume found = PyRun(threads, std::move(report))([&](Run& run) {
              run.enter("volume", 0, 1);
              return union_volume(collider, count, seed, run);
            });
            return std::tuple(found.total, found.value, found.error);
          },
          "count"_a, "seed"_a, "threads"_a = 0, "report"_a = nb::none(),
          "(total, union, half of the union's 95 % interval)");
  m.def("shape_union", shape_union, "shapes"_a, "origin"_a, "unit"_a, "threads"_a = 0, "report"_a = nb::none(),
        "The shapes, each as (kind, params, triangles), relative to `origin` in lengths of `unit`.");
}

void bind_inside(nb::module_& m) {
  m.def("points_inside", inside_of, "points"_a, "vertices"_a, "indices"_a, "offsets"_a, "threads"_a = 0,
        "report"_a = nb::none(),
        "Which points lie inside a closed mesh, by the even-odd rule; points on the surface do not.");
  m.def("is_closed_solid", is_solid, "vertices"_a, "indices"_a, "offsets"_a, "report"_a = nb::none(),
        "Whether, with equal vertices welded, every edge has two faces, one each way, and the volume is positive.");
}

// (volume, center, about): about is the integral of x x^T from the centre, as xx, yy, zz, xy, xz, yz.
using MomentsParts = std::tuple<double, std::array<double, 3>, std::array<double, 6>>;
MomentsParts to_python(const Moments& moments) {
  const auto& [volume, center, about] = moments;
  return {volume, {center.x, center.y, center.z}, {about.xx, about.yy, about.zz, about.xy, about.xz, about.yz}};
}

std::string volume_fault_of(const Points& vertices, const Indices& indices, const Indices& offsets) {
  const MeshView mesh = bindings::view(vertices, indices, offsets);
  check_mesh_view(mesh);
  const VolumeFault fault = PyRun(1, nb::none())([&](Run& run) { return volume_fault(mesh, run); });
  return fault == VolumeFault::none ? "" : fault == VolumeFault::open ? "open" : "overlapping";
}

MomentsParts mesh_moments_of(const Points& vertices, const Indices& indices, const Indices& offsets) {
  const MeshView mesh = bindings::view(vertices, indices, offsets);
  check_mesh_view(mesh);
  return to_python(PyRun(1, nb::none())([&](Run& run) { return mesh_moments(mesh, run); }));
}

std::optional<MomentsParts> union_moments_of(const Crossings& crossings, unsigned threads) {
  const std::vector<Shape> shapes = to_shapes(crossings);
  const auto found = PyRun(threads, nb::none())([&](Run& run) { return union_moments(shapes, run); });
  if (!found) return std::nullopt;
  return to_python(*found);
}

void bind_moments(nb::module_& m) {
  m.def("volume_fault", volume_fault_of, "vertices"_a, "indices"_a, "offsets"_a,
        "What keeps a mesh from having one volume: 'open', 'overlapping', or '' where nothing does.");
  m.def("mesh_moments", mesh_moments_of, "vertices"_a, "indices"_a, "offsets"_a,
        "(volume, center, about) of a mesh without such a fault, where `about` is the integral of x x^T from the\n"
        "centre: xx, yy, zz, xy, xz, yz.");
  m.def("union_moments", union_moments_of, "shapes"_a, "threads"_a = 0,
        "(volume, center, about) of the union of shapes, (kind, params, triangles) each; None without volume.");
}

}  // namespace

void bind_measure(nb::module_& m) {
  bind_moments(m);
  bind_inside(m);
  bind_collider(m);
  m.def("closest_points", closest_points, "points"_a, "vertices"_a, "indices"_a, "offsets"_a, "threads"_a = 0,
        "report"_a = nb::none(),
        "(distances, points, triangles) of the nearest points of a mesh; polygons count as triangles.");
  m.def("sample_surface", sample_surface_of, "vertices"_a, "triangles"_a, "count"_a, "seed"_a = 0,
        "(points, triangles): points uniform by area, and the triangles they lie on.");
}

}  // namespace hitbox::bindings
