// The scene of a glTF 2.0 or GLB file (Khronos specification 2.0.1), with EXT_mesh_gpu_instancing. gltf_accessors.hpp
// reads the data of its accessors.
//
// Reads the default scene's nodes (all roots if there is none) with their transforms applied, in metres with y up. A
// part is a node, a material is a material, and faces are triangles. A mirroring transform reverses the order of
// corners, so that faces still face outward. Skins and morph targets are in their rest state. Points and lines are
// ignored. The vertices of a primitive are stored in the order of their first use, once per node that shows them,
// because exporters often give many small primitives one huge vertex array. Compressed geometry is refused by the name
// of the extension.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "io/gltf_accessors.hpp"
#include "io/readers.hpp"

namespace hitbox::internal::io {
namespace {

constexpr int kMaxNodeDepth = 256;

// Extensions that do not change the geometry. A name with '*' is a prefix.
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
  // Only signs are multiplied, because the product of three scales may leave the range of doubles.
  bool mirrors() const { return dot(cross(normalized(axis[0]), normalized(axis[1])), normalized(axis[2])) < 0; }
};

Affine operator*(const Affine& outer, const Affine& inner) {
  Affine result;
  for (int k = 0; k < 3; ++k) result.axis[k] = outer.turn(inner.axis[k]);
  result.origin = outer.apply(inner.origin);
  return result;
}

// `q` is (x, y, z, w), of unit length up to rounding.
Affine from_trs(const Vec3& t, const std::array<double, 4>& q, const Vec3& s) {
  const auto [x, y, z, w] = q;
  Affine result;
  result.axis[0] = Vec3{1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)} * s.x;
  result.axis[1] = Vec3{2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)} * s.y;
  result.axis[2] = Vec3{2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)} * s.z;
  result.origin = t;
  return result;
}

// The positions of an accessor, read once, and their new indices in the current instance.
struct Positions {
  struct Placed {
    uint32_t as, by;  // new index; instance, counted from 1
  };
  GltfPoints points;
  std::vector<Placed> placed;
};

// Reserves memory before many elements are added, at least doubled, so that many small additions stay linear.
template <class T>
void make_room(std::vector<T>& list, size_t more) {
  if (more > list.capacity() - list.size()) {
    reserve_large(list, std::max(list.size() + more, 2 * list.capacity()));
  }
}

class GltfReader {
 public:
  explicit GltfReader(const Source& source) : document_(source) {}

  Result<Mesh> run() {
    if (!document_.open() || !check_extensions()) return Error{document_.problem()};
    document_.list_buffers();
    if (!walk_scene()) return Error{document_.problem()};
    names_of_materials_.move_to(mesh_.material_names, mesh_.material_of_face);
    if (mesh_.offsets.size() == 1) {
      fail("the scene shows no triangles", "Export a scene with meshes.");
      return Error{document_.problem()};
    }
    return std::move(mesh_);
  }

 private:
  bool fail(const std::string& what, const char* advice = "Fix or repeat the export.") {
    return document_.fail(what, advice);
  }

  bool check_extensions() {
    for (const JsonValue& required : document_.root()["extensionsRequired"].items()) {
      const std::string name = clean_text(required.string());
      if (!is_harmless(name)) return document_.fail_extension(name);
    }
    return true;
  }

  bool walk_scene() {
    const JsonValue root = document_.root();
    nodes_ = root["nodes"].items();
    meshes_ = root["meshes"].items();
    materials_found_ = root["materials"].items();
    material_ids_.resize(materials_found_.size());
    positions_.resize(document_.accessor_count());
    std::vector<uint64_t> roots;
    if (!find_roots(root, roots)) return false;
    seen_.resize(nodes_.size());
    for (const uint64_t k : roots) {
      if (!walk_node(k, Affine{}, 0)) return false;
    }
    return true;
  }

  bool find_roots(const JsonValue& root, std::vector<uint64_t>& roots) {
    const auto scenes = root["scenes"].items();
    if (const auto scene = root["scene"].index(); scene || !scenes.empty()) {
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
    return true;
  }

  bool walk_node(uint64_t k, const Affine& parent, int depth) {
    if (k >= nodes_.size()) return fail("the scene or a node names a node that does not exist");
    if (seen_[k]) return fail(format("node %zu is reached twice: nodes must form a tree", size_t(k)));
    if (depth > kMaxNodeDepth) return fail(format("nodes are nested more than %d deep", kMaxNodeDepth));
    seen_[k] = true;
    const JsonValue node = nodes_[k];
    Affine local;
    if (!transform_of(node, k, local)) return false;
    const Affine world = parent * local;
    if (const auto mesh = node["mesh"].index(); mesh && !place_mesh(*mesh, node, k, world)) return false;
    for (const JsonValue& child : node["children"].items()) {
      if (!walk_node(child.index().value_or(nodes_.size()), world, depth + 1)) return false;
    }
    return true;
  }

  template <size_t count>
  bool numbers(const JsonValue& owner, const char* key, uint64_t node, std::array<double, count>& out) {
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
    if (!numbers(node, "translation", k, t) || !numbers(node, "rotation", k, q) || !numbers(node, "scale", k, s)) {
      return false;
    }
    out = from_trs({t[0], t[1], t[2]}, q, {s[0], s[1], s[2]});
    return true;
  }

  bool place_mesh(uint64_t mesh, const JsonValue& node, uint64_t k, const Affine& world) {
    if (mesh >= meshes_.size()) {
      return fail(format("node %zu shows mesh %zu, but there are %zu", size_t(k), size_t(mesh), meshes_.size()));
    }
    const size_t faces_before = mesh_.offsets.size();
    std::vector<Affine> instances;
    if (!instances_of(node, k, instances)) return false;
    for (const Affine& instance : instances) {
      ++instance_;
      if (!document_.charge(200 + meshes_[mesh].nbytes())) return false;
      for (const JsonValue& primitive : meshes_[mesh]["primitives"].items()) {
        if (!place_primitive(primitive, mesh, world * instance)) return false;
      }
    }
    if (mesh_.offsets.size() == faces_before) return true;
    std::string name = clean_text(node["name"].string());
    // a mesh's name may be shared by many nodes
    if (name.empty()) name = clean_text(meshes_[mesh]["name"].string().substr(0, 255));
    if (name.empty()) name = format("node %zu", size_t(k));
    mesh_.part_of_face.resize(mesh_.offsets.size() - 1, static_cast<uint32_t>(mesh_.part_names.size()));
    mesh_.part_names.push_back(std::move(name));
    return true;
  }

  // EXT_mesh_gpu_instancing: one transform per instance; without it, the node itself.
  bool instances_of(const JsonValue& node, uint64_t k, std::vector<Affine>& out) {
    const JsonValue attributes = node["extensions"]["EXT_mesh_gpu_instancing"]["attributes"];
    if (!attributes) {
      out.emplace_back();
      return true;
    }
    GltfPoints translations, scales;
    std::vector<std::array<double, 4>> rotations;
    const auto t = attributes["TRANSLATION"].index(), r = attributes["ROTATION"].index(),
               s = attributes["SCALE"].index();
    if (t && !document_.read_points(*t, translations)) return false;
    if (s && !document_.read_points(*s, scales)) return false;
    if (r && !document_.read_rotations(*r, rotations)) return false;
    const size_t count = std::max({translations.count, rotations.size(), scales.count});
    if ((t && translations.count != count) || (r && rotations.size() != count) || (s && scales.count != count)) {
      return fail(format("node %zu: its instances' attributes differ in number", size_t(k)));
    }
    for (size_t j = 0; j < count; ++j) {
      out.push_back(from_trs(t ? translations[j] : Vec3{}, r ? rotations[j] : std::array<double, 4>{0, 0, 0, 1},
                             s ? scales[j] : Vec3{1, 1, 1}));
    }
    return true;
  }

  bool place_primitive(const JsonValue& primitive, uint64_t mesh, const Affine& world) {
    const uint64_t mode = primitive["mode"].index().value_or(4);
    if (mode < 4 || mode > 6)
      return mode < 4 || fail(format("mesh %zu has the unknown mode %zu", size_t(mesh), size_t(mode)));
    const JsonValue extensions = primitive["extensions"];
    const auto position = primitive["attributes"]["POSITION"].index();
    const auto draco = extensions["KHR_draco_mesh_compression"];
    if (draco && (!position || !document_.has_view(*position))) {
      return document_.fail_extension("KHR_draco_mesh_compression");
    }
    if (!position) return true;  // the specification says that nothing is drawn
    if (*position >= document_.accessor_count())
      return fail(format("mesh %zu: accessor %zu does not exist", size_t(mesh), size_t(*position)));
    Positions& positions = positions_[*position];
    if (positions.placed.empty()) {
      if (!document_.read_points(*position, positions.points)) return false;
      if (positions.points.count > kMaxCorners) return fail("more than 2^32 vertices", "Split the file.");
      resize_large(positions.placed, positions.points.count);
    }
    if (primitive["indices"]) {
      const auto k = primitive["indices"].index();
      if (!k) return fail(format("mesh %zu: its indices name no accessor", size_t(mesh)));
      if (k != loaded_indices_ && !document_.read_indices(*k, indices_)) return false;
      loaded_indices_ = k;
    } else {
      loaded_indices_.reset();
      indices_ = {nullptr, positions.points.count, {}};
      indices_.decoded.resize(indices_.count);
      std::iota(indices_.decoded.begin(), indices_.decoded.end(), 0u);
    }
    return add_triangles(primitive, mesh, positions, world, mode);
  }

  bool add_triangles(const JsonValue& primitive, uint64_t mesh, Positions& positions, const Affine& world,
                     uint64_t mode) {
    const size_t count = mode == 4 ? indices_.count / 3 : indices_.count < 3 ? 0 : indices_.count - 2;
    if (mode == 4 && indices_.count % 3 != 0) {
      return fail(format("mesh %zu: %zu indices are not a multiple of 3", size_t(mesh), indices_.count));
    }
    if (!document_.charge(100 * uint64_t{count})) return false;  // three vertices, three indices, and other data
    if (mesh_.indices.size() + 3 * count > kMaxCorners) return fail("more than 2^32 face corners", "Split the file.");
    if (!check_range(mesh, positions.points.count)) return false;
    place_triangles(count, mode, positions, world);
    mesh_.material_of_face.resize(mesh_.offsets.size() - 1, material_of(primitive));
    return true;
  }

  bool check_range(uint64_t mesh, size_t vertices) {
    uint32_t highest = 0;  // without branches, at the speed of memory
    for (size_t k = 0; k < indices_.count; ++k) highest = std::max(highest, indices_[k]);
    if (indices_.count == 0 || highest < vertices) return true;
    size_t wrong = 0;
    while (indices_[wrong] < vertices) ++wrong;
    return fail(format("mesh %zu: a face uses vertex %u, but its accessor has %zu (counted from 0)", size_t(mesh),
                       indices_[wrong], vertices));
  }

  void place_triangles(size_t count, uint64_t mode, Positions& positions, const Affine& world) {
    const bool mirrored = world.mirrors();
    const size_t step_of_first = mode == 4 ? 3 : mode == 5 ? 1 : 0, step = mode == 4 ? 3 : 1;
    const size_t corners_before = mesh_.indices.size(), faces_before = mesh_.offsets.size();
    make_room(mesh_.vertices, std::min(3 * count, positions.points.count));
    make_room(mesh_.indices, 3 * count);
    make_room(mesh_.offsets, count);
    mesh_.indices.resize(corners_before + 3 * count);
    mesh_.offsets.resize(faces_before + count);
    uint32_t* out = mesh_.indices.data() + corners_before;
    for (size_t t = 0; t < count; ++t, out += 3) {
      const bool turned = (mode == 5 && t % 2 == 1) != mirrored;
      const uint32_t a = indices_[t * step_of_first], b = indices_[t * step + 1];
      out[0] = place_vertex(positions, turned ? b : a, world);
      out[1] = place_vertex(positions, turned ? a : b, world);
      out[2] = place_vertex(positions, indices_[t * step + 2], world);
    }
    for (size_t t = 0; t < count; ++t) {
      mesh_.offsets[faces_before + t] = static_cast<uint32_t>(corners_before + 3 * (t + 1));
    }
  }

  uint32_t place_vertex(Positions& positions, uint32_t v, const Affine& world) {
    Positions::Placed& placed = positions.placed[v];
    if (placed.by != instance_) {
      placed = {static_cast<uint32_t>(mesh_.vertices.size()), instance_};
      mesh_.vertices.push_back(world.apply(positions.points[v]));
    }
    return placed.as;
  }

  uint32_t material_of(const JsonValue& primitive) {
    const auto k = primitive["material"].index();
    if (!k || *k >= materials_found_.size()) return names_of_materials_.id_of("");
    if (!material_ids_[*k]) {
      const std::string_view name = materials_found_[*k]["name"].string();
      material_ids_[*k] =
          names_of_materials_.id_of(name.empty() ? format("material %zu", size_t(*k)) : std::string(name));
    }
    return *material_ids_[*k];
  }

  GltfDocument document_;
  std::vector<JsonValue> nodes_, meshes_, materials_found_;
  std::vector<Positions> positions_;  // one per accessor; empty until used
  std::vector<bool> seen_;
  GltfIndices indices_;
  std::optional<uint64_t> loaded_indices_;
  uint32_t instance_ = 0;
  Names names_of_materials_;
  std::vector<std::optional<uint32_t>> material_ids_;
  Mesh mesh_;
};

}  // namespace

Result<Mesh> read_gltf(const Source& source) { return GltfReader(source).run(); }

}  // namespace hitbox::internal::io
