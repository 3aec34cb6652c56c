// The part of read.hpp that opens paths: a build without a file system leaves it out, with the room files.
#include "api/suffix.hpp"
#include "files/read_mesh.hpp"
#include "hitbox/read.hpp"

namespace hitbox {

Result<Mesh> read(const std::string& path) {
  const std::string name = internal::io::clean_text(path), suffix = api::suffix_of(path);
  if (const auto error = api::unknown_format(suffix, name)) return *error;
  return internal::files::read_mesh(path, name, suffix);
}

}  // namespace hitbox
