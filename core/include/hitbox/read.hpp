// read: a mesh from a file, or from the bytes of one: OBJ, PLY, STL, OFF, glTF and GLB, each also gzipped.
//
// Vertices, polygons and their order are those of the file. Nothing is welded, dropped or repaired, except that unused
// vertices of a glTF are dropped. A truncated, wrong or hostile file gives an Error with the place, after work and
// memory in proportion to its size.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "hitbox/mesh.hpp"
#include "hitbox/result.hpp"

namespace hitbox {

struct FileFormat {
  std::string_view suffix;    // lower case, with its dot
  std::string_view unit, up;  // as the format defines them ("m", "y"); empty: the file does not say
};

// All formats that are read, by their suffixes.
std::span<const FileFormat> file_formats();

// The suffix of the path names the format: ".obj", or ".obj.gz". A glTF may refer to files in its own folder; the
// environment variable HITBOX_ASSET_ROOT allows another one.
Result<Mesh> read(const std::string& path);

// Opens no file, so a glTF must hold its buffers. `suffix` is that of the file's name, such as ".stl". Messages begin
// with `name`.
Result<Mesh> read(std::span<const std::byte> bytes, std::string_view suffix, std::string_view name);

}  // namespace hitbox
