#include "io/source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace hitbox::internal::io {

Result<Buffer> read_file(const std::string& path, const std::string& name) {
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
  Buffer buffer;
  buffer.reserve(static_cast<size_t>(size) + 1);
  const size_t got = std::fread(buffer.data(), 1, static_cast<size_t>(size), file.get());
  if (got != size) {
    return Error{
        format("%s: only %zu of %zu bytes could be read. Try again.", name.c_str(), got, static_cast<size_t>(size))};
  }
  buffer.set_size(got);
  return buffer;
}

namespace {

// The length of the UTF-8 character at the front, or 0.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned first = byte(0);
  const size_t length = first < 0x80   ? 1
                        : first < 0xc2 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
  if (length == 0 || length > text.size()) return 0;
  uint32_t code = length == 1 ? first : first & (0x7fu >> length);
  for (size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(k) & 0x3f);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return overlong || surrogate || code > 0x10ffff ? 0 : length;
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const unsigned char first = static_cast<unsigned char>(text[0]);
    if (length == 0) {
      clean += "\xef\xbf\xbd";  // U+FFFD, the replacement character
    } else if (length == 1 && (first < 0x20 || first == 0x7f)) {
      clean += ' ';
    } else {
      clean += text.substr(0, length);
    }
    text.remove_prefix(length ? length : 1);
  }
  return clean;
}

std::string quoted(std::string_view text) {
  constexpr size_t kShown = 60;
  size_t cut = std::min(text.size(), kShown);
  while (cut > 0 && cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut;
  return format("'%s%s'", clean_text(text.substr(0, cut)).c_str(), cut < text.size() ? "..." : "");
}

}  // namespace hitbox::internal::io
