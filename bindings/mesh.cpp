#include "bindings.hpp"
#include "mesh/clean.hpp"
#include "mesh/components.hpp"
#include "mesh/info.hpp"
#include "mesh/triangulate.hpp"

namespace hitbox::bindings {

using namespace internal::mesh;
using namespace internal::bvh;
namespace {

nb::typed<nb::dict, nb::str, nb::any> as_dict(const CleanReport& report) {
  nb::typed<nb::dict, nb::str, nb::any> d;
  d["vertices_before"] = report.vertices_before;
  d["vertices_after"] = report.vertices_after;
  d["unreferenced"] = report.unreferenced;
  d["welded"] = report.welded;
  d["faces"] = report.faces;
  d["repeated_index"] = report.repeated_index;
  d["zero_area"] = report.zero_area;
  d["duplicates"] = report.duplicates;
  return d;
}

nb::typed<nb::dict, nb::str, nb::any> as_dict(const MeshInfo& info) {
  nb::typed<nb::dict, nb::str, nb::any> d;
  d["vertices"] = info.vertices;
  d["faces"] = info.faces;
  d["triangles"] = info.triangles;
  d["quads"] = info.quads;
  d["larger"] = info.larger;
  d["parts"] = info.parts;
  d["materials"] = info.materials;
  d["components"] = info.components;
  d["components_by_index"] = info.components_by_index;
  d["edges"] = info.edges;
  d["boundary_edges"] = info.boundary_edges;
  d["nonmanifold_edges"] = info.nonmanifold_edges;
  d["inconsistent_edges"] = info.inconsistent_edges;
  d["closed"] = info.closed;
  d["volume"] = info.volume;
  d["area"] = info.area;
  d["bounds"] = to_python(info.bounds).first;
  d["diagonal"] = info.diagonal;
  return d;
}

CleanOptions clean_options(const std::string& weld, double distance) {
  using Weld = CleanOptions::Weld;
  return {weld == "off" ? Weld::off : weld == "exact" ? Weld::exact : Weld::distance, distance};
}

}  // namespace

void bind_mesh(nb::module_& m) {
  m.def(
      "check_mesh",
      [](Points vertices, Indices indices, Indices offsets, const std::string& name) {
        return to_python(value_or_raise(check_mesh(view(vertices, indices, offsets), name)));
      },
      "vertices"_a, "indices"_a, "offsets"_a, "name"_a, "Bounds and diagonal of a valid mesh.");

  m.def(
      "clean_mesh",
      [](Points vertices, Indices indices, Indices offsets, const std::string& weld, double distance,
         const std::string& name) {
        PyRun run(1, nb::none());  // it reports nothing, but Ctrl-C stops it
        auto result = run(
            [&](Run& r) { return clean(view(vertices, indices, offsets), clean_options(weld, distance), name, r); });
        CleanedMesh cleaned = value_or_raise(std::move(result));
        return std::make_tuple(rows_to_numpy(std::move(cleaned.vertices)), to_numpy(std::move(cleaned.indices)),
                               as_dict(cleaned.report));
      },
      "vertices"_a, "indices"_a, "offsets"_a, "weld"_a, "distance"_a, "name"_a,
      "(vertices, indices, report); weld is 'off', 'exact' or 'distance'.");

  m.def(
      "triangulate",
      [](Points vertices, Indices indices, Indices offsets) {
        Run run(1);
        std::vector<Triangle> triangles = triangles_of(view(vertices, indices, offsets), run);
        return rows_to_numpy<Triangle, uint32_t>(std::move(triangles));
      },
      "vertices"_a, "indices"_a, "offsets"_a, "All faces as triangles, n - 2 per face of n corners.");

  m.def(
      "mesh_info",
      [](Points vertices, Indices indices, Indices offsets, Indices part, Indices material) {
        const auto info = [&] {
          nb::gil_scoped_release quiet;
          return info_of(view(vertices, indices, offsets), view(part), view(material));
        }();
        return std::make_tuple(as_dict(info), as_dict(info.cleaning));
      },
      "vertices"_a, "indices"_a, "offsets"_a, "part"_a, "material"_a, "(info, the effect of cleaning)");

  m.def(
      "pieces_of_faces",
      [](Points vertices, Indices indices, Indices offsets) {
        auto components = [&] {
          nb::gil_scoped_release quiet;
          Run run(1);
          return solids_of(view(vertices, indices, offsets), run);
        }();
        return to_numpy(std::move(components.of_face));
      },
      "vertices"_a, "indices"_a, "offsets"_a,
      "The component of every face: shared edges connect faces, and components that only touch stay apart.");
}

}  // namespace hitbox::bindings
