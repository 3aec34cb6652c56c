// Reads a mesh file by its path, with the files beside it that it refers to.
#pragma once

#include "base/rooms.hpp"
#include "io/read.hpp"

namespace hitbox::internal::files {

// `suffix` and `bounds` are those of io::read_mesh_bytes. Messages use `name`.
Result<Mesh> read_mesh(const std::string& path, const std::string& name, std::string_view suffix,
                       Bounds* bounds = nullptr);

}  // namespace hitbox::internal::files
