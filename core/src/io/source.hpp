// The input of a reader, and functions that all readers share.
//
// Readers do not trust the file. They compare a count with the remaining bytes before they allocate memory for it, so
// memory stays proportional to the file.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/assert.hpp"
#include "base/format.hpp"
#include "base/large_pages.hpp"
#include "hitbox/result.hpp"

namespace hitbox::internal::io {

class SideFiles;

struct Source {
  std::string name;                   // the file's name in messages
  const SideFiles* beside = nullptr;  // the files that it may refer to; null: none
  std::span<const uint8_t> bytes;     // unpacked

  std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

// A growing buffer that does not initialise its memory.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~Buffer() { std::free(data_); }

  uint8_t* data() { return data_; }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  std::span<const uint8_t> view() const { return {data_, size_}; }
  void reserve(size_t capacity) {
    if (capacity <= capacity_) return;
    void* moved = std::realloc(data_, capacity);
    if (!moved) throw std::bad_alloc();
    data_ = static_cast<uint8_t*>(moved);
    capacity_ = capacity;
    prefer_large_pages(data_ + size_, capacity_ - size_);
  }
  void set_size(size_t size) {
    HITBOX_ASSERT(size <= capacity_);
    size_ = size;
  }

 private:
  uint8_t* data_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
};

// The files that a mesh file may refer to, such as the buffers of a glTF. Readers open no paths themselves, so that
// they also work where there is no file system.
class SideFiles {
 public:
  virtual ~SideFiles() = default;
  // The one name of the file that `reference` means; empty if it may not be read.
  virtual std::optional<std::string> find(const std::string& reference) const = 0;
  virtual uint64_t size_of(const std::string& file) const = 0;  // in bytes; 0 if it is unknown
  virtual Result<Buffer> read(const std::string& file, const std::string& name) const = 0;
};

// The T at `bytes`, which need not be aligned.
template <class T, std::endian order = std::endian::little>
T load(const uint8_t* bytes) {
  T value;
  if constexpr (order == std::endian::native || sizeof(T) == 1) {
    std::memcpy(&value, bytes, sizeof(T));
  } else {
    uint8_t turned[sizeof(T)];
    for (size_t k = 0; k < sizeof(T); ++k) turned[k] = bytes[sizeof(T) - 1 - k];
    std::memcpy(&value, turned, sizeof(T));
  }
  return value;
}

// Valid UTF-8 without control characters, for Python and terminals.
std::string clean_text(std::string_view text);
// The same in quotes, cut to a length for messages.
std::string quoted(std::string_view text);

}  // namespace hitbox::internal::io
