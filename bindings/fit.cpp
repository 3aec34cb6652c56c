#include "fit/fit.hpp"

#include "base/tolerances.hpp"
#include "fit/levels.hpp"
#include "fit/tolerance.hpp"
#include "hulls/capped_hull.hpp"
#include "shapes.hpp"
#include "spheres/spheres.hpp"

namespace hitbox::bindings {

using namespace internal::fit;
using namespace internal::spheres;

static auto to_python(FitResult result) {
  std::vector<decltype(to_python(Shape{}))> shapes;
  for (const Shape& shape : result.shapes) shapes.push_back(to_python(shape));
  return std::tuple(std::move(shapes), to_numpy(std::move(result.faces)), to_numpy(std::move(result.face_offsets)),
                    result.dropped_count, result.ended_early);
}

static auto to_python(WithinResult result) {
  return std::tuple(to_python(std::move(result.fitted)), result.strays, result.over, result.capped);
}

void bind_fit(nb::module_& m) {
  nb::enum_<Cost>(m, "Cost")
      .value("deviation", Cost::deviation)
      .value("volume", Cost::volume)
      .value("joint", Cost::joint)
      .value("grown", Cost::grown);
  nb::enum_<Tangent>(m, "Tangent")
      .value("auto", Tangent::automatic)
      .value("on", Tangent::on)
      .value("off", Tangent::off);
  nb::enum_<Objective>(m, "Objective").value("outer", Objective::outer).value("surface", Objective::surface);
  nb::enum_<Preset>(m, "Preset")
      .value("fast", Preset::fast)
      .value("balanced", Preset::balanced)
      .value("fine", Preset::fine);
  nb::class_<FitOptions>(m, "FitOptions")
      .def(nb::init<>())
      .def_rw("cost", &FitOptions::cost)
      .def_rw("tangent", &FitOptions::tangent)
      .def_rw("kinds", &FitOptions::kinds)
      .def_rw("weights", &FitOptions::weights)
      .def_rw("overlap_samples", &FitOptions::overlap_samples)
      .def_rw("max_excess", &FitOptions::max_excess)
      .def_rw("drop_thin", &FitOptions::drop_thin)
      .def_rw("objective", &FitOptions::objective)
      .def_rw("preset", &FitOptions::preset)
      .def_prop_rw(
          "group_of_face", [](const FitOptions& o) { return to_numpy(std::vector(o.group_of_face)); },
          [](FitOptions& o, const Indices& values) { o.group_of_face = copied(values); },
          nb::for_getter(nb::rv_policy::move))
      .def_prop_rw(
          "importance", [](const FitOptions& o) { return to_numpy(std::vector(o.importance)); },
          [](FitOptions& o, const Values& values) { o.importance = copied(values); },
          nb::for_getter(nb::rv_policy::move))
      .def_rw("max_vertices", &FitOptions::max_vertices)
      .def_rw("pad", &FitOptions::pad)
      .def_rw("expected_shapes", &FitOptions::expected_shapes)
      .def_rw("time_budget", &FitOptions::time_budget)
      .def_rw("spaces", &FitOptions::spaces)
      .def_prop_rw(  // one row per sphere: centre, radius
          "keep_clear",
          [](const FitOptions& o) {
            std::vector<std::array<double, 4>> rows;
            for (const Sphere& s : o.keep_clear) rows.push_back({s.center.x, s.center.y, s.center.z, s.radius});
            return rows;
          },
          [](FitOptions& o, const std::vector<std::array<double, 4>>& rows) {
            o.keep_clear.clear();
            for (const auto& [x, y, z, r] : rows) o.keep_clear.push_back({{x, y, z}, r});
          });

  m.def(
      "least_half_extent", [](double diagonal) { return Tolerances::of_diagonal(diagonal).thickness; }, "diagonal"_a,
      "The least half extent or radius of a shape that is fitted to a mesh of this diagonal.");
  m.def(
      "capped_hull",
      [](const Points& points, uint32_t most_vertices, double thickness) -> std::optional<ShapeParts> {
        if (most_vertices < 4) throw nb::value_error("capped_hull: most_vertices must be at least 4.");
        std::optional<Hull> hull;
        {
          nb::gil_scoped_release quiet;
          hull = capped_hull(view(points), most_vertices, thickness);
        }
        if (!hull) return std::nullopt;
        return to_python(Shape(std::move(*hull)));
      },
      "points"_a, "most_vertices"_a, "thickness"_a = 0.0,
      "A hull of few vertices around all points; None without points, or for flat ones without thickness.");

  nb::class_<FitInput>(m, "FitInput");
  m.def(
      "fit_input",
      [](Points welded_vertices, Indices welded_indices, Points vertices, Indices indices, Indices offsets,
         const FitOptions& options, PyRun& run) {
        const MeshView welded = view(welded_vertices, welded_indices, offsets);
        const MeshView exact = view(vertices, indices, offsets);
        return run([&](Run& r) { return std::make_unique<FitInput>(welded, exact, options, r); });
      },
      "welded_vertices"_a, "welded_indices"_a, "vertices"_a, "indices"_a, "offsets"_a, "options"_a, "run"_a);

  // All of these return (shapes, faces, face_offsets, dropped, ended_early).
  m.def(
      "fit",
      [](const FitInput& input, uint32_t count, PyRun& run) {
        return to_python(run([&](Run& r) { return fit(input, count, r); }));
      },
      "input"_a, "count"_a, "run"_a);
  // Also returns the largest distance of the shapes from the mesh, in diagonals; how many shapes exceed the tolerance;
  // and whether `most` was too small.
  m.def(
      "fit_within",
      [](const FitInput& input, double tolerance, uint32_t most, PyRun& run) {
        return to_python(run([&](Run& r) { return fit_within(input, tolerance, most, r); }));
      },
      "input"_a, "tolerance"_a, "most"_a, "run"_a);

  nb::class_<Levels>(m, "Levels")
      .def(
          "at",
          [](const Levels& levels, uint32_t count, PyRun& run) {
            return to_python(run([&](Run& r) { return levels.at(count, r); }));
          },
          "count"_a, "run"_a)
      .def(
          "within",
          [](const Levels& levels, double tolerance, PyRun& run) {
            return to_python(run([&](Run& r) { return levels.within(tolerance, r); }));
          },
          "tolerance"_a, "run"_a)
      .def(
          "clusters_at",
          [](const Levels& levels, uint32_t count) {
            return to_numpy(std::move(levels.clusters_at(count).cluster_of_face));
          },
          "count"_a)
      .def(
          "clusters_within",
          [](const Levels& levels, double tolerance) {
            return to_numpy(std::move(levels.clusters_within(tolerance).cluster_of_face));
          },
          "tolerance"_a);
  m.def(
      "levels",
      [](const FitInput& input, uint32_t finest, PyRun& run) {
        return run([&](Run& r) { return std::make_unique<Levels>(input, finest, r); });
      },
      "input"_a, "finest"_a, "run"_a, nb::keep_alive<0, 1>());

  m.attr("MOST_SPHERES") = kMostSpheres;
  // Returns (the result of fit, its quality).
  m.def(
      "fit_spheres",
      [](Points vertices, Indices indices, Indices offsets, uint32_t count, bool conservative,
         const FitOptions& options, PyRun& run) {
        const MeshView mesh = view(vertices, indices, offsets);
        const SphereMode mode = conservative ? SphereMode::conservative : SphereMode::balanced;
        SphereFit found = run([&](Run& r) { return fit_spheres(mesh, count, mode, options, r); });
        nb::typed<nb::dict, nb::str, double> measure;
        measure["coverage"] = found.measure.coverage;
        measure["left_out"] = found.measure.left_out;
        measure["mean"] = found.measure.mean;
        measure["largest"] = found.measure.largest;
        measure["volume_ratio"] = found.measure.volume_ratio;
        return std::tuple(to_python(std::move(found.fitted)), std::move(measure));
      },
      "vertices"_a, "indices"_a, "offsets"_a, "count"_a, "conservative"_a, "options"_a, "run"_a);
}

}  // namespace hitbox::bindings
