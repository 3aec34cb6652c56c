#include "files/read_mesh.hpp"

#include "files/folder.hpp"

namespace hitbox::internal::files {

Result<Mesh> read_mesh(const std::string& path, const std::string& name, std::string_view suffix, Bounds* bounds) {
  const auto file = read_file(path, name);
  if (!file) return file.error();
  const size_t slash = path.find_last_of("/\\");
  const Folder beside(slash == std::string::npos ? "./" : path.substr(0, slash + 1));
  return io::read_mesh_bytes({name, &beside, file.value().view()}, suffix, bounds);
}

}  // namespace hitbox::internal::files
