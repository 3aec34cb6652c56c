// OFF (Geomview's Object File Format): text, with or without colours, normals and texture coordinates ("COFF", "NOFF",
// "STOFF" and so on), which are ignored.
//
// The file is read line by line, because colours may have any number of columns. Binary, four-dimensional and
// n-dimensional files are refused by name.
#include "io/readers.hpp"
#include "io/text.hpp"

namespace hitbox::internal::io {
namespace {

class OffReader {
 public:
  explicit OffReader(const Source& source) : source_(source), cursor_(source.text()) {}

  Result<Mesh> run() {
    if (header() && counts() && vertices() && faces()) return std::move(mesh_);
    return Error{problem_};
  }

 private:
  bool fail(const std::string& what, const char* advice = "Fix or repeat the export.") {
    problem_ = problem_at(source_, cursor_.at, what, advice);
    return false;
  }

  // Moves to the next word, across empty lines and comments. Returns false at the end of the file.
  bool next_content() {
    for (;;) {
      cursor_.skip_white();
      if (cursor_.at_end()) return false;
      if (*cursor_.at != '#') return true;
      cursor_.skip_line();
    }
  }

  bool header() {
    if (!next_content()) return fail("the file has no content");
    const char* start = cursor_.at;
    const std::string_view word = cursor_.word();
    if (is_digit(word[0]) && !word.ends_with("OFF")) {  // the keyword is optional
      cursor_.at = start;
      return true;
    }
    std::string_view kind = word;
    if (!kind.ends_with("OFF")) return fail("expected 'OFF', found " + quoted(word), "Give an OFF file.");
    kind.remove_suffix(3);
    if (kind.starts_with("ST")) kind.remove_prefix(2);
    if (kind.starts_with("C")) kind.remove_prefix(1);
    if (kind.starts_with("N")) kind.remove_prefix(1);
    if (!kind.empty()) {
      return fail("the kind " + quoted(word) + " has more than three dimensions or is unknown", "Export as plain OFF.");
    }
    cursor_.skip_blanks();
    if (cursor_.rest_of_line().starts_with("BINARY")) {
      return fail("binary OFF cannot be read", "Export as text OFF, or as PLY.");
    }
    return true;
  }

  bool count(const char* what, uint64_t& value) {
    if (next_content() && parse_integer(cursor_, value)) return true;
    return fail(format("expected the number of %s", what));
  }

  bool counts() {
    if (!count("vertices", vertex_count_) || !count("faces", face_count_)) return false;
    cursor_.skip_line();  // the number of edges is meaningless
    // A vertex needs at least "0 0 0\n", a face "3 0 0 0\n".
    const uint64_t left = cursor_.left() + 1;
    if (vertex_count_ > left / 6 || face_count_ > (left - 6 * vertex_count_) / 8) {
      return fail(format("%llu vertices and %llu faces do not fit into the %zu bytes that follow",
                         static_cast<unsigned long long>(vertex_count_), static_cast<unsigned long long>(face_count_),
                         cursor_.left()));
    }
    return true;
  }

  bool vertices() {
    mesh_.vertices.resize(vertex_count_);
    for (uint64_t v = 0; v < vertex_count_; ++v) {
      if (!next_content()) {
        return fail(format("the file ends at vertex %zu of %zu", size_t(v), size_t(vertex_count_)));
      }
      for (int axis = 0; axis < 3; ++axis) {
        cursor_.skip_blanks();
        if (!parse_double(cursor_, mesh_.vertices[v][axis])) {
          return fail(format("vertex %zu: expected a coordinate, found %s", size_t(v), quoted(cursor_.word()).c_str()));
        }
      }
      cursor_.skip_line();
    }
    return true;
  }

  bool faces() {
    mesh_.offsets.reserve(face_count_ + 1);
    mesh_.indices.reserve(3 * face_count_);
    for (uint64_t f = 0; f < face_count_; ++f) {
      if (!next_content()) {
        return fail(format("the file ends at face %zu of %zu", size_t(f), size_t(face_count_)));
      }
      if (!face(f)) return false;
      cursor_.skip_line();
    }
    return true;
  }

  bool face(size_t f) {
    uint64_t corners = 0;
    if (!parse_integer(cursor_, corners) || corners > cursor_.left()) {
      return fail(format("face %zu: expected its number of corners, found %s", f, quoted(cursor_.word()).c_str()));
    }
    for (uint64_t k = 0; k < corners; ++k) {
      uint64_t index = 0;
      cursor_.skip_blanks();
      const char* start = cursor_.at;
      if (!parse_integer(cursor_, index) || index >= vertex_count_) {
        cursor_.at = start;
        return fail(format("face %zu: expected a vertex number below %zu, found %s", f, size_t(vertex_count_),
                           quoted(cursor_.word()).c_str()));
      }
      mesh_.indices.push_back(static_cast<uint32_t>(index));
    }
    if (corners < 3) {
      return fail(format("face %zu has %zu corners, but must have 3 or more", f, size_t(corners)));
    }
    if (mesh_.indices.size() > kMaxCorners) return fail("more than 2^32 face corners");
    mesh_.offsets.push_back(static_cast<uint32_t>(mesh_.indices.size()));
    return true;
  }

  const Source& source_;
  TextCursor cursor_;
  uint64_t vertex_count_ = 0, face_count_ = 0;
  Mesh mesh_;
  std::string problem_;
};

}  // namespace

Result<Mesh> read_off(const Source& source) { return OffReader(source).run(); }

}  // namespace hitbox::internal::io
