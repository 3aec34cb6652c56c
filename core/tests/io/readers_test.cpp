// Tests every reader with every prefix of a small file and thousands of damaged files. Bytes lie in memory of their
// exact size, so that the sanitizers detect reads beyond it. Tests in Python compare the results for valid files with
// other readers.
#include <algorithm>
#include <cstring>
#include <memory>

#include "base/random.hpp"
#include "io/read.hpp"
#include "mesh/clean.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::io;

namespace {

template <class T>
void put(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

template <class T>
void put_big(std::string& out, T value) {
  std::string little;
  put(little, value);
  out.append(little.rbegin(), little.rend());
}

const float kPoints[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
const uint32_t kTriangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};

std::string ply_header(const char* kind) {
  return format(
      "ply\r\nformat %s 1.0\r\ncomment c\r\nelement vertex 4\r\nproperty float x\r\nproperty uchar "
      "red\r\n"
      "property float y\r\nproperty double z\r\nelement extra 2\r\nproperty list uchar short s\r\n"
      "element face 4\r\nproperty list uchar int vertex_indices\r\nproperty uchar "
      "flag\r\nend_header\r\n",
      kind);
}

template <bool big>
std::string ply_binary() {
  const auto add = [](std::string& out, auto value) {
    if constexpr (big) {
      put_big(out, value);
    } else {
      put(out, value);
    }
  };
  std::string out = ply_header(big ? "binary_big_endian" : "binary_little_endian");
  for (const auto& p : kPoints) {
    add(out, p[0]), add(out, uint8_t{7}), add(out, p[1]), add(out, static_cast<double>(p[2]));
  }
  add(out, uint8_t{2}), add(out, int16_t{1}), add(out, int16_t{2}), add(out, uint8_t{0});
  for (const auto& t : kTriangles) {
    add(out, uint8_t{3});
    for (const uint32_t v : t) add(out, v);
    add(out, uint8_t{0});
  }
  return out;
}

std::string ply_text() {
  return ply_header("ascii") +
         "0 9 0 0\r\n1 9 0 0\r\n0 9 1 0\r\n0 9 0 1\r\n2 5 6\r\n0\r\n3 0 2 1 0\r\n3 0 1 3 0\r\n3 1 "
         "2 3 0\r\n3 2 0 3 0\r\n";
}

std::string stl_binary() {
  std::string out = "solid but binary";
  out.resize(80);
  put(out, uint32_t{4});
  for (const auto& t : kTriangles) {
    out.append(12, '\0');
    for (const uint32_t v : t) {
      for (const float x : kPoints[v]) put(out, x);
    }
    put(out, uint16_t{0});
  }
  return out;
}

std::string stl_text() {
  std::string out = "solid part one\n";
  for (const auto& t : kTriangles) {
    out += "facet normal 0 0 0\n outer loop\n";
    for (const uint32_t v : t) {
      out += format("  vertex %g %g %g\n", double(kPoints[v][0]), double(kPoints[v][1]), double(kPoints[v][2]));
    }
    out += " endloop\nendfacet\n";
  }
  return out + "endsolid part one\n";
}

std::string glb() {
  std::string json =
      R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"name":"n","mesh":0,"scale":[1,1,-1],)"
      R"("children":[1]},{"mesh":0,"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,5,0,0,1],"extensions":{"EXT_mesh_gpu_instancing":)"
      R"({"attributes":{"TRANSLATION":0}}}}],"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,)"
      R"("material":0},{"attributes":{"POSITION":0},"mode":5}]}],"materials":[{"name":"oak"}],"buffers":[{"byteLength":96}],)"
      R"("bufferViews":[{"buffer":0,"byteLength":48,"byteStride":12},{"buffer":0,"byteOffset":48,"byteLength":48}],)"
      R"("accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","sparse":{"count":1,"indices":)"
      R"({"bufferView":1,"componentType":5125},"values":{"bufferView":0}}},{"bufferView":1,"componentType":5125,)"
      R"("count":12,"type":"SCALAR"}]})";
  while (json.size() % 4) json += ' ';
  std::string out = "glTF";
  put(out, uint32_t{2});
  put(out, static_cast<uint32_t>(12 + 8 + json.size() + 8 + 96));
  put(out, static_cast<uint32_t>(json.size()));
  out += "JSON";
  out += json;
  put(out, uint32_t{96});
  out += std::string("BIN\0", 4);
  for (const auto& p : kPoints) {
    for (const float x : p) put(out, x);
  }
  for (const auto& t : kTriangles) {
    for (const uint32_t v : t) put(out, v);
  }
  return out;
}

struct Sample {
  const char* suffix;
  std::string bytes;
  bool is_binary;  // then no shorter file is valid
};

std::vector<Sample> samples() {
  return {{".obj",
           "o a\nv 0 0 0 1\nv 1 0 0\r\nv +0 1 0 # c\nv 0 0 1e0\nusemtl m\ng b\nf 1/1/1 3//2 \\\n "
           "2/1\nf -4 -3 -1\n"
           "f 2 3 4\nf 3 1 4\n",
           false},
          {".off",
           "COFF 4 4 6\n# c\n0 0 0 255 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3 9 9 9\n3 1 2 "
           "3\n3 2 0 3\n",
           false},
          {".ply", ply_text(), false},
          {".ply", ply_binary<false>(), true},
          {".ply", ply_binary<true>(), true},
          {".stl", stl_binary(), true},
          {".stl", stl_text(), false},
          {".glb", glb(), true}};
}

Result<Mesh> read_exact(std::string_view text, std::string_view suffix) {
  const auto exact = std::make_unique<uint8_t[]>(text.size());
  std::copy(text.begin(), text.end(), exact.get());
  return read_mesh_bytes({"test", nullptr, {exact.get(), text.size()}}, suffix);
}

bool is_sound(const Result<Mesh>& result) {
  if (!result) return result.error().message.starts_with("test: ") && result.error().message.ends_with(".");
  return check_mesh(result.value().view(), "m").ok();
}

}  // namespace

TEST(readers_take_their_samples) {
  for (const Sample& sample : samples()) {
    const auto result = read_exact(sample.bytes, sample.suffix);
    if (!result) std::fprintf(stderr, "%s\n", result.error().message.c_str());
    CHECK(result.ok());
    if (result) CHECK(result.value().view().face_count() == (sample.suffix == std::string(".glb") ? 30u : 4u));
  }
}

TEST(readers_give_the_bounds_that_the_check_finds) {
  for (const Sample& sample : samples()) {
    Bounds bounds;
    const auto bytes = std::span(reinterpret_cast<const uint8_t*>(sample.bytes.data()), sample.bytes.size());
    const auto result = read_mesh_bytes({"test", nullptr, bytes}, sample.suffix, &bounds);
    CHECK(result.ok());
    const Bounds found = check_mesh(result.value().view(), "m").value();
    CHECK(bounds.low == found.low && bounds.high == found.high);
  }
}

TEST(readers_survive_every_prefix) {
  for (const Sample& sample : samples()) {
    for (size_t size = 0; size < sample.bytes.size(); ++size) {
      const auto result = read_exact(std::string_view(sample.bytes).substr(0, size), sample.suffix);
      CHECK(is_sound(result));
      if (sample.is_binary) CHECK(!result.ok());
    }
  }
}

TEST(readers_survive_damage) {
  Random random(11);
  for (const Sample& sample : samples()) {
    size_t good = 0;
    for (int round = 0; round < 4000; ++round) {
      std::string bytes = sample.bytes;
      for (uint64_t k = 1 + random.below(3); k > 0; --k) {
        const size_t at = random.below(bytes.size());
        switch (random.below(4)) {
          case 0: bytes[at] = static_cast<char>(random.below(256)); break;
          case 1: bytes[at] = static_cast<char>('0' + random.below(10)); break;
          case 2: bytes.erase(at, 1 + random.below(8)); break;
          default: {
            const std::string piece = bytes.substr(random.below(bytes.size()), 1 + random.below(12));
            bytes.insert(bytes.begin() + static_cast<long>(at), piece.begin(), piece.end());
          }
        }
        if (bytes.empty()) bytes.assign(1, 'x');
      }
      const auto result = read_exact(bytes, sample.suffix);
      CHECK(is_sound(result));
      good += result.ok();
    }
    CHECK(good < 4000);
  }
}

TEST(claims_of_billions_cost_nothing) {
  const std::string stl = [] {
    std::string out(80, ' ');
    put(out, 0xffffffffu);
    return out + std::string(50, '\0');
  }();
  CHECK(!read_exact(stl, ".stl").ok());
  CHECK(!read_exact("OFF 4000000000 4000000000 0\n0 0 0\n", ".off").ok());
  CHECK(!read_exact("OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n4000000000 0 1 2\n", ".off").ok());
  for (const char* kind : {"ascii", "binary_little_endian", "binary_big_endian"}) {
    const std::string head = format("ply\nformat %s 1.0\n", kind);
    const std::string tail = "property float x\nproperty float y\nproperty float z\n";
    const std::string list = "property list uint uint vertex_indices\nend_header\n";
    CHECK(
        !read_exact(head + "element vertex 99999999999999\n" + tail + "element face 1\n" + list + "000", ".ply").ok());
    CHECK(!read_exact(head + "element nothing 18446744073709551615\nelement vertex 0\n" + tail + "element face 1\n" +
                          list + "\xff\xff\xff\xff",
                      ".ply")
               .ok());
  }
  const std::string json =
      R"({"asset":{"version":"2.0"},"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],)"
      R"("accessors":[{"componentType":5126,"count":4000000000,"type":"VEC3"}]})";
  CHECK(!read_exact(json, ".gltf").ok());
}

TEST(instances_cannot_multiply_without_end) {
  // 5,000 nodes that each show 500 primitives of the same 1,000 triangles.
  std::string nodes, primitives;
  for (int k = 0; k < 5000; ++k) nodes += format("%s{\"mesh\":0}", k ? "," : "");
  for (int k = 0; k < 500; ++k) primitives += format("%s{\"attributes\":{\"POSITION\":0}}", k ? "," : "");
  const std::string data(3000 * 12 / 3 * 4, 'A');
  const std::string json = format(
      R"({"asset":{"version":"2.0"},"nodes":[%s],"meshes":[{"primitives":[%s]}],"buffers":[{"byteLength":36000,)"
      R"("uri":"data:;base64,%s"}],"bufferViews":[{"buffer":0,"byteLength":36000}],"accessors":[{"bufferView":0,)"
      R"("componentType":5126,"count":3000,"type":"VEC3"}]})",
      nodes.c_str(), primitives.c_str(), data.c_str());
  const auto result = read_exact(json, ".gltf");
  CHECK(!result.ok());
  CHECK(result.error().message.find("instances") != std::string::npos);
}
