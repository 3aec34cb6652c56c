// The layers of a glTF document below the scene: the container (text or GLB), its buffers, and its accessors (Khronos
// specification 2.0.1, with KHR_mesh_quantization).
//
// Every element is checked to lie inside its view and buffer before memory is allocated for it. A call that returns
// false has set `problem`. The first problem is kept.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "hitbox/vec3.hpp"
#include "io/json.hpp"
#include "io/source.hpp"

namespace hitbox::internal::io {

// Numbers stay in the document's bytes if they can be used unchanged (they are most of a large file), otherwise they
// are decoded. The document must outlive them.
struct GltfPoints {
  const uint8_t* floats = nullptr;  // null: decoded
  size_t stride = 0, count = 0;
  std::vector<Vec3> decoded;

  Vec3 operator[](size_t k) const {
    if (!floats) return decoded[k];
    const uint8_t* p = floats + k * stride;
    return {double{load<float>(p)}, double{load<float>(p + 4)}, double{load<float>(p + 8)}};
  }
};
struct GltfIndices {
  const uint8_t* words = nullptr;  // 32-bit words without gaps; null: decoded
  size_t count = 0;
  std::vector<uint32_t> decoded;

  uint32_t operator[](size_t k) const { return words ? load<uint32_t>(words + 4 * k) : decoded[k]; }
};

class GltfDocument {
 public:
  explicit GltfDocument(const Source& source) : source_(source) {}
  GltfDocument(const GltfDocument&) = delete;  // because its values point into its JSON

  bool open();          // reads the container; then root() is an object of version 2
  void list_buffers();  // a buffer is read when an accessor uses it

  JsonValue root() const { return root_; }
  size_t accessor_count() const { return accessors_.size(); }
  bool has_view(uint64_t accessor) const { return accessor < accessors_.size() && accessors_[accessor]["bufferView"]; }
  // With sparse overrides applied. Points are finite.
  bool read_points(uint64_t accessor, GltfPoints& points);
  bool read_indices(uint64_t accessor, GltfIndices& indices);
  bool read_rotations(uint64_t accessor, std::vector<std::array<double, 4>>& rotations);

  // Work that a small file can request repeatedly is charged in bytes of output.
  bool charge(uint64_t bytes);

  bool fail(const std::string& what, const char* advice = "Fix or repeat the export.");
  bool fail_extension(std::string_view extension);
  const std::string& problem() const { return problem_; }

 private:
  struct Elements;
  struct Sparse;
  struct BufferEntry {
    JsonValue json;
    std::optional<std::span<const uint8_t>> bytes;  // empty: no data
    Buffer decoded;                                 // from a data URI
    bool loaded = false;
  };

  bool open_glb(std::string_view& json);
  bool buffer_of(const JsonValue& view, const std::string& what, std::span<const uint8_t>& out);
  bool load_buffer(BufferEntry& buffer, size_t k);
  bool decode_data_uri(std::string_view uri, BufferEntry& buffer, size_t k);
  static std::string path_of(std::string_view uri);
  bool load_file(std::string_view uri, BufferEntry& buffer, size_t k);
  bool elements(const JsonValue& owner, uint64_t count, uint64_t width, const std::string& what, Elements& out);
  bool accessor(uint64_t k, std::string_view type, uint64_t width, Elements& out);
  bool sparse(uint64_t k, const Elements& base, uint64_t width, Sparse& out);
  bool sparse_values(const JsonValue& values, uint64_t count, uint64_t width, const Elements& base,
                     const std::string& what, Elements& out);

  const Source& source_;
  std::optional<std::span<const uint8_t>> bin_chunk_;
  Json document_;
  JsonValue root_;
  std::vector<JsonValue> accessors_, views_;
  std::vector<BufferEntry> buffers_;
  std::map<std::string, Buffer> files_;  // each file once, however many buffers use it
  uint64_t stored_bytes_ = 0, output_bytes_ = 0;
  std::string problem_;
};

}  // namespace hitbox::internal::io
