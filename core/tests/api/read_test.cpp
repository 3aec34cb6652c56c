// Public reading: from paths and from bytes.
#include <filesystem>
#include <fstream>

#include "tests/api/inputs.hpp"

using namespace hitbox;
using namespace hitbox::tests;

namespace {

constexpr std::string_view kTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// A file that is removed at the end of the test.
class File {
 public:
  File(const std::string& name, std::string_view text)
      : path_(std::filesystem::temp_directory_path() /
              ("hitbox_" + std::to_string(internal::base::Random(19).next()) + name)) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~File() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  std::string path() const { return path_.string(); }
  std::string name() const { return path_.filename().string(); }

 private:
  std::filesystem::path path_;
};

// gzip with one stored block, which needs no compressor. The CRC is computed bit by bit.
std::string gzipped(std::string_view text) {
  uint32_t crc = ~0u;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  const auto size = static_cast<uint32_t>(text.size());
  std::string packed("\x1f\x8b\x08\0\0\0\0\0\0\xff\x01", 11);
  const auto add = [&](uint32_t value, int count) {
    for (int k = 0; k < count; ++k) packed += static_cast<char>(value >> 8 * k & 0xff);
  };
  add(size, 2);
  add(~size, 2);
  packed += text;
  add(~crc, 4);
  add(size, 4);
  return packed;
}

}  // namespace

TEST(a_mesh_is_read_from_a_path_and_from_bytes_packed_or_not) {
  const File plain("box.OBJ", kTriangle), packed("box.obj.gz", gzipped(kTriangle));
  for (const auto& mesh :
       {read(plain.path()), read(packed.path()), read(bytes_of(kTriangle), ".obj", "box"),
        read(bytes_of(kTriangle), "obj", "box"), read(bytes_of(gzipped(kTriangle)), ".obj.gz", "b")}) {
    CHECK(mesh.ok());
    CHECK(mesh->vertices.size() == 3 && mesh->view().face_count() == 1);
    CHECK((mesh->vertices[2] == Vec3{0, 1, 0}));
  }
}

TEST(the_known_formats_are_those_that_are_read) {
  std::vector<std::string_view> known;
  for (const FileFormat& each : file_formats()) {
    known.push_back(each.suffix);
    CHECK(!said(read(bytes_of("?"), each.suffix, "x")).starts_with("x: no reader"));
  }
  CHECK((known == std::vector<std::string_view>{".glb", ".gltf", ".obj", ".off", ".ply", ".stl"}));
}

TEST(a_gltf_finds_its_buffer_beside_its_path_but_not_beside_its_bytes) {
  const std::array<float, 9> numbers = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const File buffer("points.bin", {reinterpret_cast<const char*>(numbers.data()), sizeof(numbers)});
  const std::string text = R"({"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],)"
                           R"("meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],)"
                           R"("accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],)"
                           R"("bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"byteLength":36,"uri":")" +
                           buffer.name() + R"("}]})";
  const File gltf("scene.gltf", text);
  const auto mesh = read(gltf.path());
  CHECK(mesh.ok() && mesh->vertices.size() == 3);
  CHECK(said(read(bytes_of(text), ".gltf", "scene")) ==
        "scene: buffer 0 lies in the file '" + buffer.name() +
            "', but only bytes were given. Give the path of the .gltf file, or export as .glb.");
}

TEST(what_cannot_be_read_is_an_error_with_a_name) {
  CHECK(said(read(bytes_of(kTriangle), ".xyz", "box")) ==
        "box: no reader for '.xyz' files. Known: .glb, .gltf, .obj, .off, .ply, .stl, each also with .gz.");
  CHECK(said(read("folder.obj/box")).starts_with("folder.obj/box: the name has no suffix"));
  CHECK(said(read("no/such/file.obj")) == "no/such/file.obj: no such file. Check the path.");
  CHECK(said(read({}, ".obj", "empty")) == "empty: the file is empty. Export it again.");
  CHECK(said(read(bytes_of("v 0 0 0\nf 1 2 3\n"), ".obj", "cut")).starts_with("cut: "));
  CHECK(said(read(bytes_of("v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), ".obj", "x")) != "");
}
