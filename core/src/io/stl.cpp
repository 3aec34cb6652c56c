// STL, binary and text. Every triangle has three separate vertices, as in the file; cleaning welds them. Each `solid`
// of a text file is a part.
//
// Text files begin with "solid", but so do many binary files. A file whose length matches the triangle count at byte 80
// is binary, whatever it begins with.
#include <optional>

#include "io/readers.hpp"
#include "io/text.hpp"

namespace hitbox::internal::io {
namespace {

constexpr size_t kHeader = 84, kTriangle = 50;

Result<Mesh> read_binary(const Source& source) {
  const size_t count = load<uint32_t>(source.bytes.data() + 80);
  if (count > (source.bytes.size() - kHeader) / kTriangle) {
    return Error{
        format("%s: byte 80: %zu triangles need %zu bytes, but the file has %zu. It was cut "
               "short or is no STL file: export or copy it again.",
               source.name.c_str(), count, kHeader + kTriangle * count, source.bytes.size())};
  }
  if (3 * count > kMaxCorners) {
    return Error{format("%s: more than 2^32 face corners. Split the file.", source.name.c_str())};
  }
  Mesh mesh;
  resize_large(mesh.vertices, 3 * count);
  resize_large(mesh.indices, 3 * count);
  resize_large(mesh.offsets, count + 1);
  const uint8_t* at = source.bytes.data() + kHeader + 12;  // after the normal
  for (size_t t = 0; t < count; ++t, at += kTriangle) {
    for (size_t k = 0; k < 3; ++k) {
      const uint8_t* corner = at + 12 * k;
      mesh.vertices[3 * t + k] = {load<float>(corner), load<float>(corner + 4), load<float>(corner + 8)};
      mesh.indices[3 * t + k] = static_cast<uint32_t>(3 * t + k);
    }
    mesh.offsets[t + 1] = static_cast<uint32_t>(3 * t + 3);
  }
  return mesh;
}

class StlTextReader {
 public:
  explicit StlTextReader(const Source& source) : source_(source), cursor_(source.text()) {}

  Result<Mesh> run() {
    for (;;) {
      cursor_.skip_white();
      if (cursor_.at_end()) break;
      if (!statement()) return Error{problem_};
    }
    if (in_facet_) {
      fail("the file ends inside a facet");
      return Error{problem_};
    }
    parts_.move_to(mesh_.part_names, mesh_.part_of_face);
    return std::move(mesh_);
  }

 private:
  bool fail(const std::string& what) {
    problem_ = problem_at(source_, cursor_.at, what, "Fix or repeat the export.");
    return false;
  }

  bool statement() {
    const char* start = cursor_.at;
    const std::string_view word = cursor_.word();
    if (equals_ignoring_case(word, "vertex")) return vertex();
    if (equals_ignoring_case(word, "facet")) return begin_facet();
    if (equals_ignoring_case(word, "endfacet")) return end_facet();
    if (equals_ignoring_case(word, "outer")) return pass_line();
    if (equals_ignoring_case(word, "endloop") || equals_ignoring_case(word, "end")) return true;
    if (equals_ignoring_case(word, "solid")) {
      solid_ = cursor_.rest_of_line();
      solid_id_.reset();
      return pass_line();
    }
    if (equals_ignoring_case(word, "endsolid") || word.starts_with('#')) return pass_line();
    cursor_.at = start;
    return fail("expected 'facet', 'vertex' or another word of text STL, found " + quoted(word));
  }

  bool pass_line() {
    cursor_.skip_line();
    return true;
  }

  bool begin_facet() {
    if (in_facet_) return fail("a facet begins inside another");
    in_facet_ = true;
    return pass_line();  // the normal follows from the vertices
  }

  bool end_facet() {
    const size_t corners = mesh_.vertices.size() - mesh_.indices.size();
    if (!in_facet_ || corners != 3) {
      return fail(format("triangle %zu has %zu vertices instead of 3", mesh_.offsets.size() - 1, corners));
    }
    if (mesh_.vertices.size() > kMaxCorners) return fail("more than 2^32 face corners");
    in_facet_ = false;
    for (int k = 0; k < 3; ++k) mesh_.indices.push_back(static_cast<uint32_t>(mesh_.indices.size()));
    mesh_.offsets.push_back(static_cast<uint32_t>(mesh_.indices.size()));
    if (!solid_id_) solid_id_ = parts_.id_of(solid_);
    mesh_.part_of_face.push_back(*solid_id_);
    return true;
  }

  bool vertex() {
    if (!in_facet_) return fail("a vertex outside of a facet");
    Vec3 p;
    for (int axis = 0; axis < 3; ++axis) {
      cursor_.skip_blanks();
      if (!parse_double(cursor_, p[axis])) {
        return fail("expected a coordinate, found " + quoted(cursor_.word()));
      }
    }
    mesh_.vertices.push_back(p);
    return true;
  }

  const Source& source_;
  TextCursor cursor_;
  bool in_facet_ = false;
  std::string_view solid_;
  std::optional<uint32_t> solid_id_;
  Names parts_;
  Mesh mesh_;
  std::string problem_;
};

}  // namespace

Result<Mesh> read_stl(const Source& source) {
  const auto bytes = source.bytes;
  TextCursor cursor(source.text());
  cursor.skip_white();
  const bool says_solid = equals_ignoring_case(cursor.word().substr(0, 5), "solid");
  const bool fits =
      bytes.size() >= kHeader && bytes.size() - kHeader == kTriangle * size_t{load<uint32_t>(bytes.data() + 80)};
  const size_t looked_at = std::min<size_t>(bytes.size(), 1024);
  const bool has_zeros = std::memchr(bytes.data(), 0, looked_at) != nullptr;
  if (says_solid && !fits && !has_zeros) return StlTextReader(source).run();
  if (bytes.size() >= kHeader) return read_binary(source);
  return Error{
      format("%s: neither text STL (no 'solid' at its start) nor binary STL (shorter than "
             "84 bytes). Export or copy it again.",
             source.name.c_str())};
}

}  // namespace hitbox::internal::io
