// The folder of a mesh file, whose other files it may refer to.
//
// A mesh from the internet must not read arbitrary files. So only files at or below its folder are found, and those
// below the folder that the user names in the environment variable HITBOX_ASSET_ROOT.
#pragma once

#include "base/rooms.hpp"
#include "io/source.hpp"

namespace hitbox::internal::files {

// Reads a whole regular file. Messages use `name`.
Result<io::Buffer> read_file(const std::string& path, const std::string& name);

class Folder : public io::SideFiles {
 public:
  explicit Folder(std::string folder) : folder_(std::move(folder)) {}  // ends with a slash

  // Two names of one file give the same path.
  std::optional<std::string> find(const std::string& reference) const override;
  uint64_t size_of(const std::string& file) const override;
  Result<io::Buffer> read(const std::string& file, const std::string& name) const override;

 private:
  std::string folder_;
};

}  // namespace hitbox::internal::files
