#include "bindings.hpp"
#include "files/read_mesh.hpp"
#include "io/obj_rows.hpp"

namespace hitbox::bindings {

using namespace internal::files;
using namespace internal::io;

namespace {

// The text that `make` returns, which runs without the GIL.
template <class Make>
nb::bytes bytes_of(Make&& make) {
  const std::string text = [&] {
    nb::gil_scoped_release quiet;
    return make();
  }();
  return nb::bytes(text.data(), text.size());
}

}  // namespace

void bind_io(nb::module_& m) {
  m.def(
      "mesh_formats",
      [] {
        std::vector<std::array<std::string, 3>> rows;
        for (const MeshFormat& f : mesh_formats()) {
          rows.push_back({std::string(f.suffix), std::string(f.unit), std::string(f.up)});
        }
        return rows;
      },
      "(suffix, unit, up) of every format that the core reads; empty where the format does not fix it.");

  // The path is given as bytes, because file names need not be text.
  m.def(
      "read_mesh",
      [](nb::bytes path, const std::string& name, const std::string& suffix) {
        const std::string where(path.c_str(), path.size());
        Bounds bounds;
        auto result = [&] {
          nb::gil_scoped_release quiet;
          return read_mesh(where, name, suffix, &bounds);
        }();
        Mesh mesh = value_or_raise(std::move(result));
        return std::make_tuple(rows_to_numpy(std::move(mesh.vertices)), to_numpy(std::move(mesh.indices)),
                               to_numpy(std::move(mesh.offsets)), to_numpy(std::move(mesh.part_of_face)),
                               to_numpy(std::move(mesh.material_of_face)), mesh.part_names, mesh.material_names,
                               to_python(bounds));
      },
      "path"_a, "name"_a, "suffix"_a,
      "(vertices, indices, offsets, part, material, part_names, material_names, what check_mesh gives); part and "
      "material have no elements where the file names none.");

  m.def(
      "obj_vertices", [](const Points& vertices) { return bytes_of([&] { return vertex_rows(view(vertices)); }); },
      "vertices"_a, "A line of an OBJ file for each vertex.");

  m.def(
      "obj_triangles",
      [](const Triangles& triangles, uint64_t first) {
        const std::span<const uint32_t> corners{triangles.data(), 3 * triangles.shape(0)};
        return bytes_of([&] { return triangle_rows(corners, first); });
      },
      "triangles"_a, "first"_a, "A line of an OBJ file for each triangle. Corner 0 is the vertex `first` of the file.");
}

}  // namespace hitbox::bindings
