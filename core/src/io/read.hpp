// Reads the bytes of a mesh file: OBJ, PLY, STL, OFF, glTF and GLB, each also gzipped. files/read_mesh.hpp opens paths.
//
// The mesh has passed check_mesh. Vertices, polygons and their order are those of the file (nothing is welded, dropped
// or repaired), except that unused vertices of a glTF are dropped. A truncated, wrong or hostile file gives an Error
// with the place, after work and memory in proportion to its size.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "hitbox/mesh.hpp"
#include "hitbox/result.hpp"
#include "io/source.hpp"

namespace hitbox::internal::io {

struct MeshFormat {
  std::string_view suffix;  // lower case, with its dot
  Result<Mesh> (*read)(const Source& source);
  std::string_view unit, up;  // fixed by the format; empty: open
};

// All readable formats, each suffix once.
std::span<const MeshFormat> mesh_formats();

// `suffix` is one of the table's, without ".gz": packed bytes are known by their first three. `bounds` receives what
// check_mesh found, so that the caller need not check the mesh again.
Result<Mesh> read_mesh_bytes(const Source& source, std::string_view suffix, Bounds* bounds = nullptr);

}  // namespace hitbox::internal::io
