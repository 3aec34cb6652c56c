#include "carve/carve.hpp"

#include "api/space_options.hpp"
#include "hulls/open_space.hpp"
#include "hulls/overlap.hpp"
#include "merge/merge.hpp"
#include "shapes.hpp"

namespace hitbox::bindings {

using internal::hulls::OpenSpace;

using Rows4 = nb::ndarray<const double, nb::numpy, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;
using Distances = nb::ndarray<const double, nb::numpy, nb::shape<-1>, nb::c_contig, nb::device::cpu>;

// `ask` maps an array of points to one distance per point. Python makes sure that they are C-contiguous doubles.
static void ask_python(nb::handle ask, std::span<const Vec3> points, std::span<double> out) {
  nb::gil_scoped_acquire held;
  const auto given = rows_to_numpy<Vec3>({points.begin(), points.end()});
  const auto found = nb::cast<Distances>(ask(given));
  if (found.shape(0) != points.size()) throw nb::value_error("a blocker must give one distance for each point.");
  std::copy_n(found.data(), out.size(), out.data());
}

static std::vector<Sphere> to_spheres(const Rows4& rows) {
  std::vector<Sphere> spheres;
  for (size_t k = 0; k < rows.shape(0); ++k) {
    const double* row = rows.data() + 4 * k;
    spheres.push_back({{row[0], row[1], row[2]}, row[3]});
  }
  return spheres;
}

// A function of Python, borrowed: SpaceOrigin in Python owns it and lives as long as the space. An owner here would
// make a cycle that Python's garbage collector cannot see.
static std::function<void(std::span<const Vec3>, std::span<double>)> asking(const nb::object& function) {
  if (function.is_none()) return {};
  return [borrowed = nb::handle(function)](std::span<const Vec3> points, std::span<double> out) {
    ask_python(borrowed, points, out);
  };
}

// `half_spaces` has rows of a unit normal and an offset. With a function the run must have one thread.
static SpaceOptions space_options(double radius, double tolerance, double floor_tolerance, std::array<double, 3> up,
                                  bool sealed, const Points& clear_points, const Rows4& half_spaces,
                                  const Crossings& shapes, const nb::object& function) {
  SpaceOptions options{radius, tolerance, floor_tolerance, {up[0], up[1], up[2]}, sealed, {}, {}, {}, {}};
  const auto clear = view(clear_points);
  options.clear_points.assign(clear.begin(), clear.end());
  for (size_t k = 0; k < half_spaces.shape(0); ++k) {
    const double* row = half_spaces.data() + 4 * k;
    options.half_spaces.push_back({{row[0], row[1], row[2]}, row[3]});
  }
  options.shapes = to_shapes(shapes);
  options.function = asking(function);
  return options;
}

void bind_carve(nb::module_& m) {
  nb::class_<SpaceOptions>(m, "SpaceOptions")
      .def(
          "__init__",
          [](SpaceOptions* self, double radius, double tolerance, double floor_tolerance, std::array<double, 3> up,
             bool sealed, const Points& clear_points, const Rows4& half_spaces, const Crossings& shapes,
             nb::object function) {
            new (self) SpaceOptions(space_options(radius, tolerance, floor_tolerance, up, sealed, clear_points,
                                                  half_spaces, shapes, function));
          },
          "radius"_a, "tolerance"_a, "floor_tolerance"_a, "up"_a, "sealed"_a, "clear_points"_a, "half_spaces"_a,
          "shapes"_a, "function"_a.none())
      .def_ro("radius", &SpaceOptions::radius)
      .def_ro("tolerance", &SpaceOptions::tolerance);

  // Raises ValueError where options of a file make no sense.
  m.def(
      "check_space_options",
      [](const SpaceOptions& options, double diagonal) {
        api::Checks checks("space");
        api::check(checks, options, diagonal);
        if (checks.error()) throw nb::value_error(checks.error()->message.c_str());
      },
      "options"_a, "diagonal"_a);

  nb::class_<NavigableSpace>(m, "Space")
      .def(
          "__init__",
          [](NavigableSpace* self, double radius, double tolerance, double step, const Rows4& spheres) {
            new (self) NavigableSpace{to_spheres(spheres), radius, tolerance, step, {}};
          },
          "radius"_a, "tolerance"_a, "step"_a, "spheres"_a)
      .def_ro("radius", &NavigableSpace::radius)
      .def_ro("tolerance", &NavigableSpace::tolerance)
      .def_ro("step", &NavigableSpace::step)
      .def_prop_ro("has_proof", [](const NavigableSpace& self) { return self.proof != nullptr; })
      .def("spheres", [](const NavigableSpace& self) { return rows_to_numpy<Sphere>(std::vector(self.spheres)); })
      .def(  // (spheres and other centres that shapes enter, the greatest depth, for each shape whether it enters)
          "overlap",
          [](const NavigableSpace& self, const Crossings& shapes, PyRun& run) {
            const std::vector<Shape> given = to_shapes(shapes);
            Overlap found = run([&](Run& r) { return internal::hulls::measured_overlap(self, given, r); });
            return std::tuple(found.entered, found.deepest, std::move(found.enters));
          },
          "shapes"_a, "run"_a);

  nb::class_<CarveOptions>(m, "CarveOptions")
      .def(nb::init<>())
      .def_rw("space", &CarveOptions::space)
      .def_rw("concave_edges", &CarveOptions::concave_edges)
      .def_rw("max_vertices", &CarveOptions::max_vertices)
      .def_rw("count", &CarveOptions::count)
      .def_rw("effort", &CarveOptions::effort)
      .def_rw("seed", &CarveOptions::seed)
      .def_rw("hulls_only", &CarveOptions::hulls_only);
  nb::class_<MergeOptions>(m, "MergeOptions")
      .def(nb::init<>())
      .def_rw("tolerance", &MergeOptions::tolerance)
      .def_rw("distance", &MergeOptions::distance)
      .def_rw("count", &MergeOptions::count)
      .def_rw("max_vertices", &MergeOptions::max_vertices)
      .def_rw("hulls_only", &MergeOptions::hulls_only);

  m.def(
      "navigable_space",
      [](const Points& vertices, const Indices& indices, const Indices& offsets, const SpaceOptions& options,
         PyRun& run) {
        const MeshView mesh = view(vertices, indices, offsets);
        auto found = value_or_raise(run([&](Run& r) { return OpenSpace::around(mesh, options, r); }));
        return OpenSpace::described(std::move(found));
      },
      "vertices"_a, "indices"_a, "offsets"_a, "options"_a, "run"_a);

  // Returns (shapes; the faces of each, as a list with offsets; whether it is proved and within the cap; depths; the
  // space).
  m.def(
      "carve",
      [](const Points& vertices, const Indices& indices, const Indices& offsets, const CarveOptions& options,
         PyRun& run) {
        const MeshView mesh = view(vertices, indices, offsets);
        CarveResult carved = value_or_raise(run([&](Run& r) { return internal::carve::carve(mesh, options, r); }));
        std::vector<ShapeParts> shapes;
        std::vector<uint32_t> faces, face_offsets{0};
        for (size_t k = 0; k < carved.shapes.size(); ++k) {
          shapes.push_back(to_python(carved.shapes[k]));
          faces.insert(faces.end(), carved.faces[k].begin(), carved.faces[k].end());
          face_offsets.push_back(static_cast<uint32_t>(faces.size()));
        }
        return std::tuple(std::move(shapes), to_numpy(std::move(faces)), to_numpy(std::move(face_offsets)),
                          carved.is_proved, carved.is_capped, std::move(carved.depths), std::move(carved.space));
      },
      "vertices"_a, "indices"_a, "offsets"_a, "options"_a, "run"_a);

  // Returns (shapes; for each the numbers of the shapes it replaces). `space` is to be avoided, or None.
  m.def(
      "merge",
      [](const Crossings& shapes, MergeOptions options, const NavigableSpace* space, PyRun& run) {
        const std::vector<Shape> given = to_shapes(shapes);
        if (space != nullptr) options.space = *space;
        MergeResult merged = run([&](Run& r) { return internal::merge::merge_shapes(given, options, r); });
        std::vector<ShapeParts> found;
        for (const Shape& shape : merged.shapes) found.push_back(to_python(shape));
        return std::tuple(std::move(found), std::move(merged.from));
      },
      "shapes"_a, "options"_a, "space"_a.none(), "run"_a);
}

}  // namespace hitbox::bindings
