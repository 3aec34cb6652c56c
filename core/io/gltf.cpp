// glTF 2.0 and GLB (Khronos specification 2.0.1), with KHR_mesh_quantization and
// EXT_mesh_gpu_instancing.
//
// The default scene's nodes (all roots if there is none) with their transforms applied, meters and
// y up. A part is a node, a material is a material; faces are triangles. A mirroring transform
// turns the corners' order, so that faces keep looking outward. Skins and morph targets are at
// rest. Points and lines are passed over. A primitive's vertices come in the order of their first
// use, once for every node that shows them: exporters like to give many small primitives one huge
// vertex array. What an extension of compression hides is refused by the extension's name.
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "json.hpp"
#include "readers.hpp"

namespace hitbox {
namespace {

constexpr int kMaxNodeDepth = 256;
// Instances may multiply a small file without end: what comes out is held to this.
constexpr uint64_t kFreeOutput = uint64_t{256} << 20, kMaxOutputRatio = 64;

// Extensions that change nothing about where faces are; a name with '*' stands for all that begin
// so.
constexpr std::string_view kHarmless[] = {"KHR_mesh_quantization",
                                          "EXT_mesh_gpu_instancing",
                                          "KHR_materials_*",
                                          "KHR_texture_*",
                                          "KHR_lights_*",
                                          "KHR_animation_*",
                                          "KHR_xmp*",
                                          "KHR_node_visibility",
                                          "KHR_node_selectability",
                                          "KHR_node_hoverability",
                                          "KHR_interactivity",
                                          "KHR_audio*",
                                          "KHR_techniques_webgl",
                                          "EXT_texture_*",
                                          "EXT_lights_*",
                                          "EXT_mesh_manifold",
                                          "EXT_mesh_features",
                                          "EXT_instance_features",
                                          "EXT_structural_metadata",
                                          "MSFT_texture_*",
                                          "MSFT_packing_*",
                                          "MSFT_lod",
                                          "AGI_*",
                                          "GOOGLE_texture_basis"};

bool is_harmless(std::string_view extension) {
  for (std::string_view known : kHarmless) {
    const bool open = known.ends_with('*');
    if (open) known.remove_suffix(1);
    if (open ? extension.starts_with(known) : extension == known) return true;
  }
  return false;
}

// x -> axis[0] x.x + axis[1] x.y + axis[2] x.z + origin
struct Affine {
  Vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  Vec3 origin;

  Vec3 turn(const Vec3& p) const { return axis[0] * p.x + axis[1] * p.y + axis[2] * p.z; }
  Vec3 apply(const Vec3& p) const { return turn(p) + origin; }
  // Signs survive where the product of three scales would leave the range of doubles.
  bool mirrors() const {
    return dot(cross(normalized(axis[0]), normalized(axis[1])), normalized(axis[2])) < 0;
  }
};

Affine operator*(const Affine& outer, const Affine& inner) {
  Affine result;
  for (int k = 0; k < 3; ++k) result.axis[k] = outer.turn(inner.axis[k]);
  result.origin = outer.apply(inner.origin);
  return result;
}

// `q` is (x, y, z, w), unit but for rounding.
Affine from_trs(const Vec3& t, const std::array<double, 4>& q, const Vec3& s) {
  const auto [x, y, z, w] = q;
  Affine result;
  result.axis[0] = Vec3{1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)} * s.x;
  result.axis[1] = Vec3{2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)} * s.y;
  result.axis[2] = Vec3{2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)} * s.z;
  result.origin = t;
  return result;
}

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

// Elements of a buffer, checked to lie inside of it.
struct Elements {
  const uint8_t* first = nullptr;  // null: all zeros
  uint64_t count = 0, stride = 0, component = kF32;
  bool normalized = false;

  const uint8_t* at(uint64_t k) const { return first + k * stride; }
};

// Positions of an accessor, read once, and where the current instance has put them.
struct Positions {
  std::vector<Vec3> points;
  std::vector<uint32_t> placed_as, placed_by;  // new index; instance + 1
};

class GltfReader {
 public:
  explicit GltfReader(const Source& source) : source_(source) {}

  Result<Mesh> run() {
    if (!open() || !check_extensions() || !load_tables() || !walk_scene()) return Error{problem_};
    names_of_materials_.move_to(mesh_.material_names, mesh_.material_of_face);
    if (mesh_.offsets.size() == 1) {
      fail("the scene shows no triangles", "Export a scene with meshes.");
      return Error{problem_};
    }
    return std::move(mesh_);
  }

 private:
  bool fail(const std::string& what, const char* advice = "Fix or repeat the export.") {
    if (problem_.empty()) problem_ = source_.name + ": " + what + ". " + advice;
    return false;
  }

  // ---- the container

  bool open() {
    std::string_view json = source_.text();
    if (json.starts_with("glTF")) {
      if (!open_glb(json)) return false;
    } else if (json.starts_with("\xef\xbb\xbf")) {
      json.remove_prefix(3);
    }
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

  bool open_glb(std::string_view& json) {
    const auto bytes = source_.bytes;
    if (bytes.size() < 20) return fail("the GLB header ends too early", "Copy the file again.");
    const uint32_t version = load<uint32_t>(&bytes[4]), length = load<uint32_t>(&bytes[8]);
    if (version != 2)
      return fail(format("GLB version %u cannot be read", version), "Export as glTF 2.0.");
    if (length > bytes.size()) {
      return fail(
          format("byte 8: the header says %u bytes, but the file has %zu", length, bytes.size()),
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

  bool fail_extension(std::string_view extension) {
    const bool compressed = extension.find("compression") != std::string_view::npos;
    return fail(
        "it needs the extension " + std::string(extension.substr(0, 60)) + ", which cannot be read",
        compressed
            ? "Export without compression, or unpack it (gltf-transform copy in.glb out.glb)."
            : "Export without this extension.");
  }

  bool check_extensions() {
    for (const JsonValue& required : root_["extensionsRequired"].items()) {
      const std::string name = clean_text(required.string());
      if (!is_harmless(name)) return fail_extension(name);
    }
    return true;
  }

  bool load_tables() {
    nodes_ = root_["nodes"].items();
    meshes_ = root_["meshes"].items();
    accessors_ = root_["accessors"].items();
    views_ = root_["bufferViews"].items();
    materials_found_ = root_["materials"].items();
    material_ids_.resize(materials_found_.size());
    positions_.resize(accessors_.size());
    const auto buffers = root_["buffers"].items();
    buffers_.resize(buffers.size());
    owned_.resize(buffers.size());
    for (size_t k = 0; k < buffers.size(); ++k) {
      if (!load_buffer(buffers[k], k)) return false;
      stored_bytes_ += buffers_[k] ? buffers_[k]->size() : 0;
    }
    stored_bytes_ += source_.bytes.size();
    return true;
  }

  // ---- buffers, views, accessors

  // A buffer without data is only wrong once something looks into it.
  bool load_buffer(const JsonValue& buffer, size_t k) {
    const std::string_view uri = buffer["uri"].string();
    const auto length = buffer["byteLength"].index();
    if (!length) return fail(format("buffer %zu has no byteLength", k));
    if (uri.empty()) {
      if (k == 0 && bin_chunk_) buffers_[k] = *bin_chunk_;
    } else if (uri.starts_with("data:")) {
      if (!decode_data_uri(uri, k)) return false;
    } else if (!load_file(uri, k)) {
      return false;
    }
    if (buffers_[k] && buffers_[k]->size() < *length) {
      return fail(format("buffer %zu should have %zu bytes, but only %zu are there", k,
                         size_t(*length), buffers_[k]->size()),
                  "It was cut short: copy it again.");
    }
    if (buffers_[k]) buffers_[k] = buffers_[k]->first(*length);
    return true;
  }

  bool decode_data_uri(std::string_view uri, size_t k) {
    const size_t comma = uri.find(',');
    if (comma == std::string_view::npos || !uri.substr(0, comma).ends_with(";base64")) {
      return fail(format("buffer %zu: a data URI must be base64", k));
    }
    const std::string_view code = uri.substr(comma + 1);
    Buffer& out = owned_[k];
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
    buffers_[k] = out.view();
    return true;
  }

  // Only files at or below the folder of the glTF: a mesh from the net must not read what it likes.
  bool load_file(std::string_view uri, size_t k) {
    std::string path;
    for (size_t at = 0; at < uri.size(); ++at) {
      uint32_t code = 0;
      const char* hex = uri.data() + at + 1;
      if (uri[at] == '%' && at + 2 < uri.size() &&
          std::from_chars(hex, hex + 2, code, 16).ptr == hex + 2) {
        path += static_cast<char>(code);
        at += 2;
      } else {
        path += uri[at];
      }
    }
    const bool leaves =
        path.starts_with('/') || path.starts_with('\\') || path.find(':') != std::string::npos ||
        ("/" + path + "/").find("/../") != std::string::npos ||
        path.find("..\\") != std::string::npos || path.find('\0') != std::string::npos;
    if (leaves || source_.folder.empty()) {
      return fail(
          format("buffer %zu lies at %s, outside of the file's folder", k, quoted(path).c_str()),
          "Put the buffer beside the .gltf file, or export as .glb.");
    }
    auto file = read_file(source_.folder + path, source_.name + ": its buffer " + quoted(path));
    if (!file) {
      problem_ = file.error().message;
      return false;
    }
    owned_[k] = std::move(file.value());
    buffers_[k] = owned_[k].view();
    return true;
  }

  // `count` elements of `width` components in a buffer view; every byte checked to be there.
  bool elements(const JsonValue& owner, uint64_t count, uint64_t width, const std::string& what,
                Elements& out) {
    const auto component = owner["componentType"].index();
    const auto view_index = owner["bufferView"].index();
    if (!component || size_of(*component) == 0) return fail(what + " has an unknown componentType");
    if (!view_index || *view_index >= views_.size())
      return fail(what + " names no bufferView that exists");
    const JsonValue view = views_[*view_index];
    if (!charge(view.nbytes())) return false;
    const auto buffer = view["buffer"].index();
    if (!buffer || *buffer >= buffers_.size())
      return fail(what + ": its bufferView names no buffer that exists");
    if (!buffers_[*buffer]) {
      const auto extensions = view["extensions"].members();
      if (!extensions.empty()) return fail_extension(clean_text(extensions[0].first));
      return fail(what + format(": buffer %zu has no data", size_t(*buffer)));
    }
    const uint64_t size = width * size_of(*component);
    const uint64_t stride = view["byteStride"].index().value_or(size);
    const uint64_t start = view["byteOffset"].index().value_or(0);
    const uint64_t length = view["byteLength"].index().value_or(0);
    const uint64_t offset = owner["byteOffset"].index().value_or(0);
    const uint64_t there = buffers_[*buffer]->size();
    if (start > there || length > there - start) {
      return fail(what + format(": bufferView %zu reaches behind its buffer", size_t(*view_index)));
    }
    if (stride < size || stride > 0xffff)
      return fail(what + ": its byteStride is too small or too large");
    if (offset > length ||
        (count > 0 && (length - offset < size || count - 1 > (length - offset - size) / stride))) {
      return fail(what + format(" of %llu elements does not fit into bufferView %zu of %llu bytes",
                                static_cast<unsigned long long>(count), size_t(*view_index),
                                static_cast<unsigned long long>(length)));
    }
    out = {buffers_[*buffer]->data() + start + offset, count, stride, *component,
           owner["normalized"].boolean()};
    return true;
  }

  // Everything that a small file can ask for again and again is paid for in bytes of output.
  bool charge(uint64_t bytes) {
    output_bytes_ += bytes;
    return output_bytes_ <= kFreeOutput + kMaxOutputRatio * stored_bytes_ ||
           fail("its instances unfold to more than 64 times the file", "Split the scene.");
  }

  bool accessor(uint64_t k, std::string_view type, uint64_t width, Elements& out) {
    const std::string what = format("accessor %llu", static_cast<unsigned long long>(k));
    if (k >= accessors_.size()) return fail(what + " does not exist");
    const JsonValue owner = accessors_[k];
    if (!charge(owner.nbytes())) return false;
    const auto count = owner["count"].index();
    if (!count) return fail(what + " has no count");
    if (owner["type"].string() != type)
      return fail(what + " should be of type " + std::string(type));
    if (owner["bufferView"]) return elements(owner, *count, width, what, out);
    // Zeros take no bytes in the file, but must not take more here than a file could hold.
    if (*count > stored_bytes_) return fail(what + " has more elements than the file has bytes");
    out = {nullptr, *count, 0, owner["componentType"].index().value_or(0),
           owner["normalized"].boolean()};
    return size_of(out.component) != 0 || fail(what + " has an unknown componentType");
  }

  // Where and by what a sparse accessor overrides its elements.
  struct Sparse {
    Elements indices, values;
  };
  bool sparse(uint64_t k, const Elements& base, uint64_t width, Sparse& out) {
    const JsonValue accessor = accessors_[k], sparse = accessor["sparse"];
    if (!sparse) return true;
    const std::string what = format("accessor %zu: sparse", size_t(k));
    const auto count = sparse["count"].index();
    if (!count) return fail(what + " has no count");
    if (!elements(sparse["indices"], *count, 1, what + " indices", out.indices)) return false;
    const uint64_t component = out.indices.component;
    if (component != kU8 && component != kU16 && component != kU32)
      return fail(what + " indices have a wrong type");
    // The values have the accessor's own type, which their JSON does not repeat.
    if (!sparse_values(sparse["values"], *count, width, base, what, out.values)) return false;
    for (uint64_t j = 0; j < *count; ++j) {
      if (load_index(out.indices.at(j), component) >= base.count) {
        return fail(what + format(" index %zu is out of range", size_t(j)));
      }
    }
    return true;
  }
  bool sparse_values(const JsonValue& values, uint64_t count, uint64_t width, const Elements& base,
                     const std::string& what, Elements& out) {
    const auto view = values["bufferView"].index();
    if (!view || *view >= views_.size())
      return fail(what + " values name no bufferView that exists");
    const auto buffer = views_[*view]["buffer"].index();
    if (!buffer || *buffer >= buffers_.size() || !buffers_[*buffer])
      return fail(what + " values have no buffer");
    const uint64_t size = width * size_of(base.component), there = buffers_[*buffer]->size();
    const uint64_t start =
        views_[*view]["byteOffset"].index().value_or(0) + values["byteOffset"].index().value_or(0);
    if (start > there || count > (there - start) / size)
      return fail(what + " values reach behind their buffer");
    out = {buffers_[*buffer]->data() + start, count, size, base.component, base.normalized};
    return true;
  }

  static Vec3 point_at(const Elements& e, uint64_t k) {
    const uint8_t* at = e.at(k);
    const size_t step = size_of(e.component);
    return {load_number(at, e.component, e.normalized),
            load_number(at + step, e.component, e.normalized),
            load_number(at + 2 * step, e.component, e.normalized)};
  }

  bool read_points(uint64_t k, std::vector<Vec3>& points) {
    Elements base;
    Sparse over;
    if (!accessor(k, "VEC3", 3, base) || !sparse(k, base, 3, over)) return false;
    points.resize(base.count);
    for (uint64_t j = 0; base.first && j < base.count; ++j) points[j] = point_at(base, j);
    for (uint64_t j = 0; j < over.indices.count; ++j) {
      points[load_index(over.indices.at(j), over.indices.component)] = point_at(over.values, j);
    }
    for (uint64_t j = 0; j < base.count; ++j) {
      if (is_finite(points[j])) continue;
      return fail(format("accessor %zu: vertex %zu is (%g, %g, %g), but coordinates must be finite",
                         size_t(k), size_t(j), points[j].x, points[j].y, points[j].z));
    }
    return true;
  }

  bool read_indices(uint64_t k, std::vector<uint32_t>& indices) {
    Elements base;
    Sparse over;
    if (!accessor(k, "SCALAR", 1, base) || !sparse(k, base, 1, over)) return false;
    if (base.component != kU8 && base.component != kU16 && base.component != kU32) {
      return fail(format("accessor %zu: indices must be unsigned whole numbers", size_t(k)));
    }
    indices.assign(base.count, 0);
    for (uint64_t j = 0; base.first && j < base.count; ++j)
      indices[j] = load_index(base.at(j), base.component);
    for (uint64_t j = 0; j < over.indices.count; ++j) {
      indices[load_index(over.indices.at(j), over.indices.component)] =
          load_index(over.values.at(j), base.component);
    }
    return true;
  }

  // ---- the scene

  bool walk_scene() {
    std::vector<uint64_t> roots;
    const auto scenes = root_["scenes"].items();
    if (const auto scene = root_["scene"].index(); scene || !scenes.empty()) {
      const uint64_t k = scene.value_or(0);
      if (k >= scenes.size()) return fail(format("scene %zu does not exist", size_t(k)));
      for (const JsonValue& node : scenes[k]["nodes"].items()) {
        roots.push_back(node.index().value_or(nodes_.size()));
      }
    } else {
      std::vector<bool> has_parent(nodes_.size());
      for (const JsonValue& node : nodes_) {
        for (const JsonValue& child : node["children"].items()) {
          if (const auto c = child.index(); c && *c < nodes_.size()) has_parent[*c] = true;
        }
      }
      for (size_t k = 0; k < nodes_.size(); ++k) {
        if (!has_parent[k]) roots.push_back(k);
      }
      if (roots.empty() && !nodes_.empty()) return fail("its nodes form a cycle");
    }
    seen_.resize(nodes_.size());
    for (const uint64_t root : roots) {
      if (!walk_node(root, Affine{}, 0)) return false;
    }
    return true;
  }

  bool walk_node(uint64_t k, const Affine& parent, int depth) {
    if (k >= nodes_.size()) return fail("the scene or a node names a node that does not exist");
    if (seen_[k])
      return fail(format("node %zu is reached twice: nodes must form a tree", size_t(k)));
    if (depth > kMaxNodeDepth)
      return fail(format("nodes are nested more than %d deep", kMaxNodeDepth));
    seen_[k] = true;
    const JsonValue node = nodes_[k];
    Affine local;
    if (!transform_of(node, k, local)) return false;
    const Affine world = parent * local;
    if (const auto mesh = node["mesh"].index(); mesh && !place_mesh(*mesh, node, k, world))
      return false;
    for (const JsonValue& child : node["children"].items()) {
      if (!walk_node(child.index().value_or(nodes_.size()), world, depth + 1)) return false;
    }
    return true;
  }

  template <size_t count>
  bool numbers(const JsonValue& owner, const char* key, uint64_t node,
               std::array<double, count>& out) {
    const JsonValue list = owner[key];
    if (!list) return true;
    const auto items = list.items();
    bool good = items.size() == count;
    for (size_t k = 0; good && k < count; ++k) {
      const auto number = items[k].number();
      good = number.has_value();
      out[k] = number.value_or(0);
    }
    return good || fail(format("node %zu: %s must be %zu numbers", size_t(node), key, count));
  }

  bool transform_of(const JsonValue& node, uint64_t k, Affine& out) {
    if (node["matrix"]) {
      std::array<double, 16> m{};
      if (!numbers(node, "matrix", k, m)) return false;
      for (size_t c = 0; c < 3; ++c) out.axis[c] = {m[4 * c], m[4 * c + 1], m[4 * c + 2]};
      out.origin = {m[12], m[13], m[14]};
      return true;
    }
    std::array<double, 3> t{}, s{1, 1, 1};
    std::array<double, 4> q{0, 0, 0, 1};
    if (!numbers(node, "translation", k, t) || !numbers(node, "rotation", k, q) ||
        !numbers(node, "scale", k, s)) {
      return false;
    }
    out = from_trs({t[0], t[1], t[2]}, q, {s[0], s[1], s[2]});
    return true;
  }

  bool place_mesh(uint64_t mesh, const JsonValue& node, uint64_t k, const Affine& world) {
    if (mesh >= meshes_.size()) {
      return fail(format("node %zu shows mesh %zu, but there are %zu", size_t(k), size_t(mesh),
                         meshes_.size()));
    }
    const size_t faces_before = mesh_.offsets.size();
    std::vector<Affine> instances;
    if (!instances_of(node, k, instances)) return false;
    for (const Affine& instance : instances) {
      ++instance_;
      if (!charge(200 + meshes_[mesh].nbytes())) return false;
      for (const JsonValue& primitive : meshes_[mesh]["primitives"].items()) {
        if (!place_primitive(primitive, mesh, world * instance)) return false;
      }
    }
    if (mesh_.offsets.size() == faces_before) return true;
    std::string name = clean_text(node["name"].string());
    if (name.empty())
      name = clean_text(meshes_[mesh]["name"].string().substr(0, 255));  // shared by many
    if (name.empty()) name = format("node %zu", size_t(k));
    mesh_.part_of_face.resize(mesh_.offsets.size() - 1,
                              static_cast<uint32_t>(mesh_.part_names.size()));
    mesh_.part_names.push_back(std::move(name));
    return true;
  }

  // EXT_mesh_gpu_instancing: one transform an instance; without it, the node itself.
  bool instances_of(const JsonValue& node, uint64_t k, std::vector<Affine>& out) {
    const JsonValue attributes = node["extensions"]["EXT_mesh_gpu_instancing"]["attributes"];
    if (!attributes) {
      out.emplace_back();
      return true;
    }
    std::vector<Vec3> translations, scales;
    std::vector<std::array<double, 4>> rotations;
    const auto t = attributes["TRANSLATION"].index(), r = attributes["ROTATION"].index(),
               s = attributes["SCALE"].index();
    if (t && !read_points(*t, translations)) return false;
    if (s && !read_points(*s, scales)) return false;
    if (r && !read_rotations(*r, rotations)) return false;
    const size_t count = std::max({translations.size(), rotations.size(), scales.size()});
    if ((t && translations.size() != count) || (r && rotations.size() != count) ||
        (s && scales.size() != count)) {
      return fail(format("node %zu: its instances' attributes differ in number", size_t(k)));
    }
    for (size_t j = 0; j < count; ++j) {
      out.push_back(from_trs(t ? translations[j] : Vec3{},
                             r ? rotations[j] : std::array<double, 4>{0, 0, 0, 1},
                             s ? scales[j] : Vec3{1, 1, 1}));
    }
    return true;
  }

  bool read_rotations(uint64_t k, std::vector<std::array<double, 4>>& out) {
    Elements base;
    if (!accessor(k, "VEC4", 4, base)) return false;
    out.assign(base.count, {0, 0, 0, 1});
    for (uint64_t j = 0; base.first && j < base.count; ++j) {
      for (size_t c = 0; c < 4; ++c) {
        out[j][c] =
            load_number(base.at(j) + c * size_of(base.component), base.component, base.normalized);
      }
    }
    return true;
  }

  bool place_primitive(const JsonValue& primitive, uint64_t mesh, const Affine& world) {
    const uint64_t mode = primitive["mode"].index().value_or(4);
    if (mode < 4 || mode > 6)
      return mode < 4 ||
             fail(format("mesh %zu has the unknown mode %zu", size_t(mesh), size_t(mode)));
    const JsonValue extensions = primitive["extensions"];
    const auto position = primitive["attributes"]["POSITION"].index();
    const auto draco = extensions["KHR_draco_mesh_compression"];
    if (draco &&
        (!position || *position >= accessors_.size() || !accessors_[*position]["bufferView"])) {
      return fail_extension("KHR_draco_mesh_compression");
    }
    if (!position) return true;  // nothing to be drawn, says the specification
    if (*position >= accessors_.size())
      return fail(format("mesh %zu: accessor %zu does not exist", size_t(mesh), size_t(*position)));
    Positions& positions = positions_[*position];
    if (positions.placed_as.empty()) {
      if (!read_points(*position, positions.points)) return false;
      if (positions.points.size() > kMaxCorners)
        return fail("more than 2^32 vertices", "Split the file.");
      positions.placed_as.resize(positions.points.size());
      positions.placed_by.resize(positions.points.size());
    }
    if (primitive["indices"]) {
      const auto k = primitive["indices"].index();
      if (!k) return fail(format("mesh %zu: its indices name no accessor", size_t(mesh)));
      if (k != loaded_indices_ && !read_indices(*k, indices_)) return false;
      loaded_indices_ = k;
    } else {
      loaded_indices_.reset();
      indices_.resize(positions.points.size());
      for (size_t j = 0; j < indices_.size(); ++j) indices_[j] = static_cast<uint32_t>(j);
    }
    return add_triangles(primitive, mesh, positions, world, mode);
  }

  bool add_triangles(const JsonValue& primitive, uint64_t mesh, Positions& positions,
                     const Affine& world, uint64_t mode) {
    const size_t count = mode == 4             ? indices_.size() / 3
                         : indices_.size() < 3 ? 0
                                               : indices_.size() - 2;
    if (mode == 4 && indices_.size() % 3 != 0) {
      return fail(
          format("mesh %zu: %zu indices are not a multiple of 3", size_t(mesh), indices_.size()));
    }
    if (!charge(100 * uint64_t{count}))
      return false;  // three vertices, three indices, and the rest
    if (mesh_.indices.size() + 3 * count > kMaxCorners)
      return fail("more than 2^32 face corners", "Split the file.");
    for (const uint32_t v : indices_) {
      if (v < positions.points.size()) continue;
      return fail(
          format("mesh %zu: a face uses vertex %u, but its accessor has %zu (counted from 0)",
                 size_t(mesh), v, positions.points.size()));
    }
    const bool mirrored = world.mirrors();
    const uint32_t material = material_of(primitive);
    for (size_t t = 0; t < count; ++t) {
      uint32_t a = indices_[mode == 4 ? 3 * t : mode == 5 ? t : 0];
      uint32_t b = indices_[mode == 4 ? 3 * t + 1 : t + 1];
      const uint32_t c = indices_[mode == 4 ? 3 * t + 2 : t + 2];
      if ((mode == 5 && t % 2 == 1) != mirrored) std::swap(a, b);
      for (const uint32_t v : {a, b, c}) mesh_.indices.push_back(place_vertex(positions, v, world));
      mesh_.offsets.push_back(static_cast<uint32_t>(mesh_.indices.size()));
    }
    mesh_.material_of_face.resize(mesh_.offsets.size() - 1, material);
    return true;
  }

  uint32_t place_vertex(Positions& positions, uint32_t v, const Affine& world) {
    if (positions.placed_by[v] != instance_) {
      positions.placed_by[v] = instance_;
      positions.placed_as[v] = static_cast<uint32_t>(mesh_.vertices.size());
      mesh_.vertices.push_back(world.apply(positions.points[v]));
    }
    return positions.placed_as[v];
  }

  uint32_t material_of(const JsonValue& primitive) {
    const auto k = primitive["material"].index();
    if (!k || *k >= materials_found_.size()) return names_of_materials_.id_of("");
    if (!material_ids_[*k]) {
      const std::string_view name = materials_found_[*k]["name"].string();
      material_ids_[*k] = names_of_materials_.id_of(
          name.empty() ? format("material %zu", size_t(*k)) : std::string(name));
    }
    return *material_ids_[*k];
  }

  const Source& source_;
  std::optional<std::span<const uint8_t>> bin_chunk_;
  Json document_;
  JsonValue root_;
  std::vector<JsonValue> nodes_, meshes_, accessors_, views_, materials_found_;
  std::vector<std::optional<std::span<const uint8_t>>> buffers_;
  std::vector<Buffer> owned_;
  std::vector<Positions> positions_;  // one an accessor; empty until used
  std::vector<bool> seen_;
  std::vector<uint32_t> indices_;
  std::optional<uint64_t> loaded_indices_;
  uint64_t stored_bytes_ = 0, output_bytes_ = 0;
  uint32_t instance_ = 0;
  Names names_of_materials_;
  std::vector<std::optional<uint32_t>> material_ids_;
  Mesh mesh_;
  std::string problem_;
};

}  // namespace

Result<Mesh> read_gltf(const Source& source) { return GltfReader(source).run(); }

}  // namespace hitbox
