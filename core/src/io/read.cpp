#include "io/read.hpp"

#include "io/inflate.hpp"
#include "io/readers.hpp"
#include "mesh/clean.hpp"

namespace hitbox::internal::io {

std::span<const MeshFormat> mesh_formats() {
  static constexpr MeshFormat kFormats[] = {
      {".glb", read_gltf, "m", "y"}, {".gltf", read_gltf, "m", "y"}, {".obj", read_obj, "", ""},
      {".off", read_off, "", ""},    {".ply", read_ply, "", ""},     {".stl", read_stl, "", ""},
  };
  return kFormats;
}

Result<Mesh> read_mesh_bytes(const Source& source, std::string_view suffix, Bounds* bounds) {
  Buffer unpacked;
  Source plain = source;
  if (is_gzip(source.bytes)) {
    auto result = gunzip(source.bytes, source.name);
    if (!result) return result.error();
    unpacked = std::move(result.value());
    plain.bytes = unpacked.view();
  }
  // A byte order mark, which Windows editors put before text. No binary format starts like that.
  if (plain.text().starts_with("\xef\xbb\xbf")) plain.bytes = plain.bytes.subspan(3);
  for (const MeshFormat& known : mesh_formats()) {
    if (known.suffix != suffix) continue;
    if (plain.bytes.empty()) return Error{source.name + ": the file is empty. Export it again."};
    auto mesh = known.read(plain);
    if (!mesh) return mesh;
    const auto checked = check_mesh(mesh.value().view(), source.name);
    if (!checked) return checked.error();
    if (bounds) *bounds = checked.value();
    return mesh;
  }
  return Error{format("%s: no reader for %s.", source.name.c_str(), quoted(suffix).c_str())};
}

}  // namespace hitbox::internal::io
