// The readers of the table in read.cpp, and their shared code that builds a mesh.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "hitbox/mesh.hpp"
#include "io/source.hpp"

namespace hitbox::internal::io {

Result<Mesh> read_gltf(const Source& source);
Result<Mesh> read_obj(const Source& source);
Result<Mesh> read_off(const Source& source);
Result<Mesh> read_ply(const Source& source);
Result<Mesh> read_stl(const Source& source);

// Corners are counted in 32 bits.
constexpr size_t kMaxCorners = 0xffffffffu;

// Names in the order of their first use, each once.
class Names {
 public:
  uint32_t id_of(std::string_view name) {
    const auto [entry, is_new] = ids_.try_emplace(clean_text(name), ids_.size());
    if (is_new) names_.push_back(entry->first);
    return static_cast<uint32_t>(entry->second);
  }
  // Returns the collected names. A single empty name is dropped.
  void move_to(std::vector<std::string>& names, std::vector<uint32_t>& of_face) {
    if (names_.empty() || (names_.size() == 1 && names_[0].empty())) {
      of_face.clear();
      return;
    }
    names = std::move(names_);
  }

 private:
  std::unordered_map<std::string, size_t> ids_;
  std::vector<std::string> names_;
};

}  // namespace hitbox::internal::io
