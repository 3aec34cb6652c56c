#include "io/gltf_accessors.hpp"

#include <algorithm>
#include <charconv>
#include <set>

namespace hitbox::internal::io {
namespace {

// Limits the output, because instances can multiply a small file without bound.
constexpr uint64_t kFreeOutput = uint64_t{256} << 20, kMaxOutputRatio = 64;

enum Component : uint64_t { kI8 = 5120, kU8, kI16, kU16, kU32 = 5125, kF32 };

size_t size_of(uint64_t component) {
  switch (component) {
    case kI8:
    case kU8: return 1;
    case kI16:
    case kU16: return 2;
    case kU32:
    case kF32: return 4;
    default: return 0;
  }
}

bool is_index(uint64_t component) { return component == kU8 || component == kU16 || component == kU32; }

uint32_t load_index(const uint8_t* at, uint64_t component) {
  return component == kU8 ? *at : component == kU16 ? load<uint16_t>(at) : load<uint32_t>(at);
}

double load_number(const uint8_t* at, uint64_t component, bool normalized) {
  switch (component) {
    case kI8: {
      const double v = load<int8_t>(at);
      return normalized ? std::max(v / 127, -1.0) : v;
    }
    case kU8: return normalized ? *at / 255.0 : *at;
    case kI16: {
      const double v = load<int16_t>(at);
      return normalized ? std::max(v / 32767, -1.0) : v;
    }
    case kU16: return normalized ? load<uint16_t>(at) / 65535.0 : load<uint16_t>(at);
    case kU32: return load<uint32_t>(at);
    default: return static_cast<double>(load<float>(at));
  }
}

}  // namespace

// Elements of a buffer, checked to lie inside it.
struct GltfDocument::Elements {
  const uint8_t* first = nullptr;  // null: all zeros
  uint64_t count = 0, stride = 0, component = kF32;
  bool normalized = false;

  const uint8_t* at(uint64_t k) const { return first + k * stride; }
  double number(uint64_t k, size_t column) const {
    return load_number(at(k) + column * size_of(component), component, normalized);
  }
  uint32_t index(uint64_t k) const { return load_index(at(k), component); }
  Vec3 point(uint64_t k) const { return {number(k, 0), number(k, 1), number(k, 2)}; }
};

bool GltfDocument::fail(const std::string& what, const char* advice) {
  if (problem_.empty()) problem_ = source_.name + ": " + what + ". " + advice;
  return false;
}

bool GltfDocument::open() {
  std::string_view json = source_.text();
  if (json.starts_with("glTF") && !open_glb(json)) return false;
  auto parsed = Json::parse(json);
  if (!parsed) return fail("its JSON is wrong: " + parsed.error().message);
  document_ = std::move(parsed.value());
  root_ = document_.root();
  if (!root_.is(JsonKind::object)) return fail("its JSON is not an object");
  const std::string_view version = root_["asset"]["version"].string();
  if (!version.starts_with("2.") && version != "2") {
    return fail(version.empty() ? "asset.version is missing, so it may be no glTF file"
                                : "glTF version " + quoted(version) + " cannot be read",
                "Export as glTF 2.0.");
  }
  return true;
}

bool GltfDocument::open_glb(std::string_view& json) {
  const auto bytes = source_.bytes;
  if (bytes.size() < 20) return fail("the GLB header ends too early", "Copy the file again.");
  const uint32_t version = load<uint32_t>(&bytes[4]), length = load<uint32_t>(&bytes[8]);
  if (version != 2) return fail(format("GLB version %u cannot be read", version), "Export as glTF 2.0.");
  if (length > bytes.size()) {
    return fail(format("byte 8: the header says %u bytes, but the file has %zu", length, bytes.size()),
                "It was cut short: copy it again.");
  }
  bool has_json = false;
  for (size_t at = 12; at + 8 <= length;) {
    const uint32_t size = load<uint32_t>(&bytes[at]), kind = load<uint32_t>(&bytes[at + 4]);
    if (size > length - at - 8) {
      return fail(format("byte %zu: a chunk of %u bytes reaches behind the end", at, size));
    }
    const auto chunk = bytes.subspan(at + 8, size);
    if (kind == 0x4e4f534a && !has_json) {
      json = {reinterpret_cast<const char*>(chunk.data()), chunk.size()};
      has_json = true;
    } else if (kind == 0x004e4942 && !bin_chunk_) {
      bin_chunk_ = chunk;
    }
    at += 8 + size_t{size};
  }
  return has_json || fail("there is no JSON chunk");
}

bool GltfDocument::fail_extension(std::string_view extension) {
  const bool compressed = extension.find("compression") != std::string_view::npos;
  return fail("it needs the extension " + std::string(extension.substr(0, 60)) + ", which cannot be read",
              compressed ? "Export without compression, or unpack it (gltf-transform copy in.glb out.glb)."
                         : "Export without this extension.");
}

void GltfDocument::list_buffers() {
  accessors_ = root_["accessors"].items();
  views_ = root_["bufferViews"].items();
  stored_bytes_ = source_.bytes.size();
  std::set<std::string> counted;
  for (const JsonValue& json : root_["buffers"].items()) {
    buffers_.push_back({json, {}, {}, false});
    const std::string_view uri = json["uri"].string();
    if (uri.empty() || uri.starts_with("data:") || !source_.beside) continue;
    const auto file = source_.beside->find(path_of(uri));
    if (file && counted.insert(*file).second) stored_bytes_ += source_.beside->size_of(*file);
  }
}

// The bytes of a view's buffer, read at first use: a file may name many unused buffers, or one file many times.
bool GltfDocument::buffer_of(const JsonValue& view, const std::string& what, std::span<const uint8_t>& out) {
  const auto k = view["buffer"].index();
  if (!k || *k >= buffers_.size()) return fail(what + ": its bufferView names no buffer that exists");
  BufferEntry& buffer = buffers_[*k];
  if (!buffer.loaded && !load_buffer(buffer, *k)) return false;
  buffer.loaded = true;
  if (!buffer.bytes) {
    const auto extensions = view["extensions"].members();
    if (!extensions.empty()) return fail_extension(clean_text(extensions[0].first));
    return fail(what + format(": buffer %zu has no data", size_t(*k)));
  }
  out = *buffer.bytes;
  return true;
}

bool GltfDocument::load_buffer(BufferEntry& buffer, size_t k) {
  const std::string_view uri = buffer.json["uri"].string();
  const auto length = buffer.json["byteLength"].index();
  if (!length) return fail(format("buffer %zu has no byteLength", k));
  if (uri.empty()) {
    if (k == 0 && bin_chunk_) buffer.bytes = *bin_chunk_;
  } else if (uri.starts_with("data:")) {
    if (!decode_data_uri(uri, buffer, k)) return false;
  } else if (!load_file(uri, buffer, k)) {
    return false;
  }
  if (buffer.bytes && buffer.bytes->size() < *length) {
    return fail(
        format("buffer %zu should have %zu bytes, but only %zu are there", k, size_t(*length), buffer.bytes->size()),
        "It was cut short: copy it again.");
  }
  if (buffer.bytes) buffer.bytes = buffer.bytes->first(*length);
  return true;
}

bool GltfDocument::decode_data_uri(std::string_view uri, BufferEntry& buffer, size_t k) {
  const size_t comma = uri.find(',');
  if (comma == std::string_view::npos || !uri.substr(0, comma).ends_with(";base64")) {
    return fail(format("buffer %zu: a data URI must be base64", k));
  }
  const std::string_view code = uri.substr(comma + 1);
  Buffer& out = buffer.decoded;
  out.reserve(code.size() / 4 * 3 + 4);
  uint32_t bits = 0;
  int count = 0;
  size_t size = 0;
  for (const char c : code) {
    if (c == '=') break;
    const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+' || c == '-' ? 62
                      : c == '/' || c == '_' ? 63
                                             : -1;
    if (value < 0) return fail(format("buffer %zu: a character that is not base64", k));
    bits = bits << 6 | static_cast<uint32_t>(value);
    if ((count += 6) < 8) continue;
    count -= 8;
    out.data()[size++] = static_cast<uint8_t>(bits >> count);
  }
  out.set_size(size);
  buffer.bytes = out.view();
  return true;
}

// Decodes a URI's escapes (%20).
std::string GltfDocument::path_of(std::string_view uri) {
  std::string path;
  for (size_t at = 0; at < uri.size(); ++at) {
    uint32_t code = 0;
    const char* hex = uri.data() + at + 1;
    if (uri[at] == '%' && at + 2 < uri.size() && std::from_chars(hex, hex + 2, code, 16).ptr == hex + 2) {
      path += static_cast<char>(code);
      at += 2;
    } else {
      path += uri[at];
    }
  }
  return path;
}

bool GltfDocument::load_file(std::string_view uri, BufferEntry& buffer, size_t k) {
  const std::string path = path_of(uri), shown = io::quoted(path);
  if (!source_.beside) {
    return fail(format("buffer %zu lies in the file %s, but only bytes were given", k, shown.c_str()),
                "Give the path of the .gltf file, or export as .glb.");
  }
  const auto file = source_.beside->find(path);
  if (!file) {
    return fail(format("buffer %zu lies at %s, outside of the file's folder", k, shown.c_str()),
                "Put the buffer beside the .gltf file, export as .glb, or allow a folder: HITBOX_ASSET_ROOT.");
  }
  auto found = files_.find(*file);
  if (found == files_.end()) {
    auto bytes = source_.beside->read(*file, source_.name + ": its buffer " + shown);
    if (!bytes) {
      problem_ = bytes.error().message;
      return false;
    }
    found = files_.emplace(*file, std::move(bytes.value())).first;
  }
  buffer.bytes = found->second.view();
  return true;
}

// `count` elements of `width` components in a buffer view. All bytes are checked to exist.
bool GltfDocument::elements(const JsonValue& owner, uint64_t count, uint64_t width, const std::string& what,
                            Elements& out) {
  const auto component = owner["componentType"].index();
  const auto view_index = owner["bufferView"].index();
  if (!component || size_of(*component) == 0) return fail(what + " has an unknown componentType");
  if (!view_index || *view_index >= views_.size()) return fail(what + " names no bufferView that exists");
  const JsonValue view = views_[*view_index];
  if (!charge(view.nbytes())) return false;
  std::span<const uint8_t> bytes;
  if (!buffer_of(view, what, bytes)) return false;
  const uint64_t size = width * size_of(*component);
  const uint64_t stride = view["byteStride"].index().value_or(size);
  const uint64_t start = view["byteOffset"].index().value_or(0);
  const uint64_t length = view["byteLength"].index().value_or(0);
  const uint64_t offset = owner["byteOffset"].index().value_or(0);
  const uint64_t there = bytes.size();
  if (start > there || length > there - start) {
    return fail(what + format(": bufferView %zu reaches behind its buffer", size_t(*view_index)));
  }
  if (stride < size || stride > 0xffff) return fail(what + ": its byteStride is too small or too large");
  if (offset > length || (count > 0 && (length - offset < size || count - 1 > (length - offset - size) / stride))) {
    return fail(what + format(" of %llu elements does not fit into bufferView %zu of %llu bytes",
                              static_cast<unsigned long long>(count), size_t(*view_index),
                              static_cast<unsigned long long>(length)));
  }
  out = {bytes.data() + start + offset, count, stride, *component, owner["normalized"].boolean()};
  return true;
}

bool GltfDocument::charge(uint64_t bytes) {
  output_bytes_ += bytes;
  return output_bytes_ <= kFreeOutput + kMaxOutputRatio * stored_bytes_ ||
         fail("its instances unfold to more than 64 times the file", "Split the scene.");
}

bool GltfDocument::accessor(uint64_t k, std::string_view type, uint64_t width, Elements& out) {
  const std::string what = format("accessor %llu", static_cast<unsigned long long>(k));
  if (k >= accessors_.size()) return fail(what + " does not exist");
  const JsonValue owner = accessors_[k];
  if (!charge(owner.nbytes())) return false;
  const auto count = owner["count"].index();
  if (!count) return fail(what + " has no count");
  if (owner["type"].string() != type) return fail(what + " should be of type " + std::string(type));
  if (owner["bufferView"]) return elements(owner, *count, width, what, out);
  // Zeros take no bytes in the file, but must not take more memory than the file has bytes.
  if (*count > stored_bytes_) return fail(what + " has more elements than the file has bytes");
  out = {nullptr, *count, 0, owner["componentType"].index().value_or(0), owner["normalized"].boolean()};
  return size_of(out.component) != 0 || fail(what + " has an unknown componentType");
}

// The overrides of a sparse accessor.
struct GltfDocument::Sparse {
  Elements indices, values;
};

bool GltfDocument::sparse(uint64_t k, const Elements& base, uint64_t width, Sparse& out) {
  const JsonValue accessor = accessors_[k], sparse = accessor["sparse"];
  if (!sparse) return true;
  const std::string what = format("accessor %zu: sparse", size_t(k));
  const auto count = sparse["count"].index();
  if (!count) return fail(what + " has no count");
  if (!elements(sparse["indices"], *count, 1, what + " indices", out.indices)) return false;
  if (!is_index(out.indices.component)) return fail(what + " indices have a wrong type");
  // The values have the accessor's type, which their JSON does not repeat.
  if (!sparse_values(sparse["values"], *count, width, base, what, out.values)) return false;
  for (uint64_t j = 0; j < *count; ++j) {
    if (out.indices.index(j) >= base.count) {
      return fail(what + format(" index %zu is out of range", size_t(j)));
    }
  }
  return true;
}

bool GltfDocument::sparse_values(const JsonValue& values, uint64_t count, uint64_t width, const Elements& base,
                                 const std::string& what, Elements& out) {
  const auto view = values["bufferView"].index();
  if (!view || *view >= views_.size()) return fail(what + " values name no bufferView that exists");
  std::span<const uint8_t> bytes;
  if (!buffer_of(views_[*view], what + " values", bytes)) return false;
  const uint64_t size = width * size_of(base.component), there = bytes.size();
  const uint64_t start = views_[*view]["byteOffset"].index().value_or(0) + values["byteOffset"].index().value_or(0);
  if (start > there || count > (there - start) / size) return fail(what + " values reach behind their buffer");
  out = {bytes.data() + start, count, size, base.component, base.normalized};
  return true;
}

bool GltfDocument::read_points(uint64_t k, GltfPoints& points) {
  Elements base;
  Sparse over;
  if (!accessor(k, "VEC3", 3, base) || !sparse(k, base, 3, over)) return false;
  points = {nullptr, base.stride, base.count, {}};
  if (base.first && base.component == kF32 && over.indices.count == 0) {
    points.floats = base.first;
  } else {
    points.decoded.resize(base.count);
    for (uint64_t j = 0; base.first && j < base.count; ++j) points.decoded[j] = base.point(j);
    for (uint64_t j = 0; j < over.indices.count; ++j) {
      points.decoded[over.indices.index(j)] = over.values.point(j);
    }
  }
  for (uint64_t j = 0; j < base.count; ++j) {
    const Vec3 p = points[j];
    if (is_finite(p)) continue;
    return fail(format("accessor %zu: vertex %zu is (%g, %g, %g), but coordinates must be finite", size_t(k), size_t(j),
                       p.x, p.y, p.z));
  }
  return true;
}

bool GltfDocument::read_indices(uint64_t k, GltfIndices& indices) {
  Elements base;
  Sparse over;
  if (!accessor(k, "SCALAR", 1, base) || !sparse(k, base, 1, over)) return false;
  if (!is_index(base.component)) {
    return fail(format("accessor %zu: indices must be unsigned whole numbers", size_t(k)));
  }
  const bool plain = base.first && base.component == kU32 && base.stride == 4;
  indices.count = base.count;
  indices.words = plain && over.indices.count == 0 ? base.first : nullptr;
  if (indices.words) return true;
  indices.decoded.assign(base.count, 0);
  for (uint64_t j = 0; base.first && j < base.count; ++j) indices.decoded[j] = base.index(j);
  for (uint64_t j = 0; j < over.indices.count; ++j) {
    indices.decoded[over.indices.index(j)] = over.values.index(j);
  }
  return true;
}

bool GltfDocument::read_rotations(uint64_t k, std::vector<std::array<double, 4>>& out) {
  Elements base;
  if (!accessor(k, "VEC4", 4, base)) return false;
  out.assign(base.count, {0, 0, 0, 1});
  for (uint64_t j = 0; base.first && j < base.count; ++j) {
    for (size_t c = 0; c < 4; ++c) out[j][c] = base.number(j, c);
  }
  return true;
}

}  // namespace hitbox::internal::io
