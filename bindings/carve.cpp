#include "carve/carve.hpp"

#include "merge/merge.hpp"
#include "shapes.hpp"

namespace hitbox::bindings {

using namespace internal::carve;
using namespace internal::merge;

using Rows4 = nb::ndarray<const double, nb::numpy, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;
using Distances = nb::ndarray<const double, nb::numpy, nb::shape<-1>, nb::c_contig, nb::device::cpu>;

// `ask` maps an array of points to one distance per point. Python makes sure that they are C-contiguous doubles.
static void ask_python(const nb::object& ask, std::span<const Vec3> points, std::span<double> out) {
  nb::gil_scoped_acquire held;
  const auto given = rows_to_numpy<Vec3>({points.begin(), points.end()});
  const auto found = nb::cast<Distances>(ask(given));
  if (found.shape(0) != points.size()) throw nb::value_error("a blocker must give one distance for each point.");
  std::copy_n(found.data(), out.size(), out.data());
}

using Crossings = std::vector<std::tuple<std::string, Params, Triangles>>;

// `half_spaces` has rows of a unit normal and an offset. With a function the run must have one thread.
static SpaceOptions space_options(double radius, double tolerance, double floor_tolerance, std::array<double, 3> up,
                                  bool reachable_only, const Points& clear_points, const Rows4& half_spaces,
                                  const Crossings& shapes, const nb::object& function) {
  SpaceOptions options{radius, {tolerance, floor_tolerance, {up[0], up[1], up[2]}}, reachable_only, {}, {}};
  const auto clear = view(clear_points);
  options.clear_points.assign(clear.begin(), clear.end());
  for (size_t k = 0; k < half_spaces.shape(0); ++k) {
    const double* row = half_spaces.data() + 4 * k;
    options.blockers.half_spaces.push_back({{row[0], row[1], row[2]}, row[3]});
  }
  for (const auto& [kind, params, triangles] : shapes)
    options.blockers.shapes.push_back(to_shape(kind, params, triangles));
  if (!function.is_none())
    options.blockers.function = [function](std::span<const Vec3> points, std::span<double> out) {
      ask_python(function, points, out);
    };
  return options;
}

void bind_carve(nb::module_& m) {
  nb::class_<SpaceOptions>(m, "SpaceOptions")
      .def(
          "__init__",
          [](SpaceOptions* self, double radius, double tolerance, double floor_tolerance, std::array<double, 3> up,
             bool reachable_only, const Points& clear_points, const Rows4& half_spaces, const Crossings& shapes,
             nb::object function) {
            new (self) SpaceOptions(space_options(radius, tolerance, floor_tolerance, up, reachable_only, clear_points,
                                                  half_spaces, shapes, function));
          },
          "radius"_a, "tolerance"_a, "floor_tolerance"_a, "up"_a, "reachable_only"_a, "clear_points"_a, "half_spaces"_a,
          "shapes"_a, "function"_a.none())
      .def_ro("radius", &SpaceOptions::radius)
      .def_prop_ro("tolerance", [](const SpaceOptions& self) { return self.tolerance.all; });

  nb::class_<CarveOptions>(m, "CarveOptions")
      .def(nb::init<>())
      .def_rw("space", &CarveOptions::space)
      .def_rw("concave_edges", &CarveOptions::concave_edges)
      .def_rw("max_vertices", &CarveOptions::most_vertices)
      .def_rw("count", &CarveOptions::most_parts)
      .def_rw("effort", &CarveOptions::effort)
      .def_rw("seed", &CarveOptions::seed)
      .def_prop_rw(
          "hulls_only", [](const CarveOptions& o) { return !o.simplifies; },
          [](CarveOptions& o, bool hulls_only) { o.simplifies = !hulls_only; });
  nb::class_<MergeOptions>(m, "MergeOptions")
      .def(nb::init<>())
      .def_rw("tolerance", &MergeOptions::tolerance)
      .def_rw("distance", &MergeOptions::distance)
      .def_rw("count", &MergeOptions::count)
      .def_rw("max_vertices", &MergeOptions::most_vertices)
      .def_prop_rw(
          "hulls_only", [](const MergeOptions& o) { return !o.simplifies; },
          [](MergeOptions& o, bool hulls_only) { o.simplifies = !hulls_only; });

  // Returns (rows of x, y, z, radius; the grid's step).
  m.def(
      "navigable_space",
      [](const Points& vertices, const Indices& indices, const Indices& offsets, const SpaceOptions& options,
         PyRun& run) {
        const MeshView mesh = view(vertices, indices, offsets);
        NavigableSpace space =
            value_or_raise(run([&](Run& r) { return navigable_space(mesh, TriangleBvh(mesh, r), options, r); }));
        return std::tuple(rows_to_numpy<Sphere>(std::move(space.spheres)), space.reach.grid.step);
      },
      "vertices"_a, "indices"_a, "offsets"_a, "options"_a, "run"_a);

  // Returns (shapes; the faces of each, as a list with offsets; whether it is proved and within the cap; depths).
  m.def(
      "carve",
      [](const Points& vertices, const Indices& indices, const Indices& offsets, const CarveOptions& options,
         PyRun& run) {
        const MeshView mesh = view(vertices, indices, offsets);
        Carved carved = value_or_raise(run([&](Run& r) { return carve(mesh, options, r); }));
        std::vector<ShapeParts> shapes;
        std::vector<uint32_t> faces, face_offsets{0};
        for (size_t k = 0; k < carved.shapes.size(); ++k) {
          shapes.push_back(to_python(carved.shapes[k]));
          faces.insert(faces.end(), carved.faces[k].begin(), carved.faces[k].end());
          face_offsets.push_back(static_cast<uint32_t>(faces.size()));
        }
        return std::tuple(std::move(shapes), to_numpy(std::move(faces)), to_numpy(std::move(face_offsets)),
                          carved.is_proved, carved.is_capped, std::move(carved.depths));
      },
      "vertices"_a, "indices"_a, "offsets"_a, "options"_a, "run"_a);

  // Returns (shapes; for each the numbers of the shapes it replaces). `spheres` is a space to avoid, or None.
  m.def(
      "merge",
      [](const Crossings& shapes, MergeOptions options, const std::optional<Rows4>& spheres, PyRun& run) {
        std::vector<Shape> given;
        for (const auto& [kind, params, triangles] : shapes) given.push_back(to_shape(kind, params, triangles));
        options.has_space = spheres.has_value();
        for (size_t k = 0; spheres && k < spheres->shape(0); ++k) {
          const double* row = spheres->data() + 4 * k;
          options.spheres.push_back({{row[0], row[1], row[2]}, row[3]});
        }
        MergedShapes merged = value_or_raise(run([&](Run& r) { return merge_shapes(given, options, r); }));
        std::vector<ShapeParts> found;
        for (const Shape& shape : merged.shapes) found.push_back(to_python(shape));
        return std::tuple(std::move(found), std::move(merged.from));
      },
      "shapes"_a, "options"_a, "spheres"_a.none(), "run"_a);
}

}  // namespace hitbox::bindings
