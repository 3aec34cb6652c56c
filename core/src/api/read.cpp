#include "hitbox/read.hpp"

#include "api/suffix.hpp"
#include "base/format.hpp"

namespace hitbox {

using internal::base::format;

std::span<const FileFormat> file_formats() {
  static const std::vector<FileFormat> formats = [] {
    std::vector<FileFormat> known;
    for (const auto& each : internal::io::mesh_formats()) known.push_back({each.suffix, each.unit, each.up});
    return known;
  }();
  return formats;
}

std::optional<Error> api::unknown_format(const std::string& suffix, const std::string& name) {
  std::string known;
  for (const FileFormat& each : file_formats()) {
    if (each.suffix == suffix) return std::nullopt;
    known += (known.empty() ? "" : ", ") + std::string(each.suffix);
  }
  const std::string what = suffix.empty() ? "the name has no suffix to tell the format by"
                                          : "no reader for " + internal::io::quoted(suffix) + " files";
  return Error{format("%s: %s. Known: %s, each also with .gz.", name.c_str(), what.c_str(), known.c_str())};
}

std::string api::suffix_of(std::string_view name) {
  std::string lower(name.substr(name.find_last_of("/\\") + 1));  // npos + 1 is 0
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (lower.ends_with(".gz")) lower.resize(lower.size() - 3);
  const size_t dot = lower.find_last_of('.');
  return dot == std::string::npos ? "" : lower.substr(dot);
}

Result<Mesh> read(std::span<const std::byte> bytes, std::string_view suffix, std::string_view name) {
  const std::string said = internal::io::clean_text(name);
  const std::string chosen = api::suffix_of((suffix.starts_with('.') ? "" : ".") + std::string(suffix));
  if (const auto error = api::unknown_format(chosen, said)) return *error;
  return internal::io::read_mesh_bytes({said, nullptr, {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}},
                                       chosen);
}

}  // namespace hitbox
