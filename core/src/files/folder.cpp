#include "files/folder.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

namespace hitbox::internal::files {

Result<io::Buffer> read_file(const std::string& path, const std::string& name) {
  std::error_code failed;
  const auto kind = std::filesystem::status(path, failed).type();
  if (kind == std::filesystem::file_type::not_found) {
    return Error{format("%s: no such file. Check the path.", name.c_str())};
  }
  if (kind != std::filesystem::file_type::regular) {  // a pipe or a device may never end
    return Error{format("%s: not a regular file. Give the path of a mesh file.", name.c_str())};
  }
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) {
    return Error{format("%s: cannot be opened (%s). Check its permissions.", name.c_str(), std::strerror(errno))};
  }
  const uintmax_t size = std::filesystem::file_size(path, failed);
  if (failed) return Error{format("%s: its size cannot be read.", name.c_str())};
  io::Buffer buffer;
  buffer.reserve(static_cast<size_t>(size) + 1);
  const size_t got = std::fread(buffer.data(), 1, static_cast<size_t>(size), file.get());
  if (got != size) {
    return Error{
        format("%s: only %zu of %zu bytes could be read. Try again.", name.c_str(), got, static_cast<size_t>(size))};
  }
  buffer.set_size(got);
  return buffer;
}

// The folder below which the user allows all references between files.
static bool lies_in_asset_root(const std::filesystem::path& file) {
  const char* said = std::getenv("HITBOX_ASSET_ROOT");
  if (said == nullptr || *said == 0) return false;
  std::error_code failed;
  const auto root = std::filesystem::weakly_canonical(said, failed);
  const auto inside = file.lexically_relative(root);
  return !failed && !inside.empty() && *inside.begin() != "..";
}

std::optional<std::string> Folder::find(const std::string& reference) const {
  if (reference.find('\0') != std::string::npos) return std::nullopt;
  const bool leaves =
      reference.starts_with('/') || reference.starts_with('\\') || reference.find(':') != std::string::npos ||
      ("/" + reference + "/").find("/../") != std::string::npos || reference.find("..\\") != std::string::npos;
  std::error_code failed;
  const auto same = std::filesystem::weakly_canonical(std::filesystem::path(folder_) / reference, failed);
  if (leaves) return !failed && lies_in_asset_root(same) ? std::optional(same.string()) : std::nullopt;
  return failed ? folder_ + reference : same.string();
}

uint64_t Folder::size_of(const std::string& file) const {
  std::error_code failed;
  const uintmax_t size = std::filesystem::file_size(file, failed);
  return failed ? 0 : size;
}

Result<io::Buffer> Folder::read(const std::string& file, const std::string& name) const {
  return read_file(file, name);
}

}  // namespace hitbox::internal::files
