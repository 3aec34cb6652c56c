// Wavefront OBJ (Alias|Wavefront "Object Files", version 3.0): v, f, o, g and usemtl.
//
// Polygons stay polygons. Parts are the `o` names if there are several, else the `g` names, else the one `o` name.
// Faces without a name have the name "". Lines, points, curves and all other statements are ignored.
// Cost: one pass, about 200 MB/s.
#include "io/readers.hpp"
#include "io/text.hpp"

namespace hitbox::internal::io {
namespace {

class ObjReader {
 public:
  explicit ObjReader(const Source& source) : source_(source), text_(source.text()), cursor_(text_) {}

  Result<Mesh> run() {
    reserve();
    while (!cursor_.at_end() && statement()) {
    }
    if (!problem_.empty()) return Error{problem_};
    if (largest_index_ > mesh_.vertices.size()) {
      cursor_.at = largest_at_;
      fail(format("the face uses vertex %zu, but the file has %zu", largest_index_, mesh_.vertices.size()));
      return Error{problem_};
    }
    end_run();
    name_faces();
    return std::move(mesh_);
  }

 private:
  // The faces from first_face to the next run have these names.
  struct NameRun {
    size_t first_face;
    std::string_view object, group, material;
  };

  bool fail(const std::string& what) {
    problem_ = problem_at(source_, cursor_.at, what, "Fix the export.");
    return false;
  }

  void reserve() {
    reserve_large(mesh_.vertices, text_.size() / 64);
    reserve_large(mesh_.indices, text_.size() / 16);
    reserve_large(mesh_.offsets, text_.size() / 64);
  }

  bool statement() {
    cursor_.skip_white();
    if (cursor_.at_end()) return true;
    const std::string_view word = cursor_.word();
    bool good = true;
    if (word == "v") {
      good = vertex();
    } else if (word == "f" || word == "fo") {  // `fo`: face outline, version 2.11
      good = face();
    } else if (word == "o") {
      rename(&NameRun::object);
    } else if (word == "g") {
      rename(&NameRun::group);
    } else if (word == "usemtl") {
      rename(&NameRun::material);
    }
    if (good) end_statement();
    return good;
  }

  // Moves to the next line that does not continue this one.
  void end_statement() {
    for (;;) {
      const char* start = cursor_.at;
      cursor_.skip_line();
      const char* last = cursor_.at;
      if (last > start && last[-1] == '\n') --last;
      if (last > start && last[-1] == '\r') --last;
      if (!(last > start && last[-1] == '\\') || cursor_.at_end()) return;
    }
  }

  // Moves to the next word of the statement, across line ends after a backslash. Returns false at its end.
  bool next_word() {
    for (;;) {
      cursor_.skip_blanks();
      if (cursor_.at_line_end() || *cursor_.at == '#') return false;
      if (*cursor_.at != '\\') return true;
      const char* after = cursor_.at + 1;
      while (after < cursor_.end && *after == '\r') ++after;
      if (after == cursor_.end) return false;
      if (*after != '\n') return true;
      cursor_.at = after + 1;
    }
  }

  bool ends_here() const { return cursor_.at_line_end() || is_blank(*cursor_.at) || *cursor_.at == '\\'; }

  bool vertex() {
    Vec3 p;
    for (int axis = 0; axis < 3; ++axis) {
      if (!next_word()) return fail(format("a vertex with %d coordinates instead of 3", axis));
      const char* start = cursor_.at;
      if (!parse_double(cursor_, p[axis]) || !ends_here()) {
        cursor_.at = start;
        return fail("expected a number, found " + quoted(cursor_.word()));
      }
    }
    if (!is_finite(p)) {
      return fail(format("vertex %zu is (%g, %g, %g), but coordinates must be finite", mesh_.vertices.size() + 1, p.x,
                         p.y, p.z));
    }
    mesh_.vertices.push_back(p);  // a weight or a colour after it is ignored
    return true;
  }

  bool face() {
    while (next_word()) {
      if (!corner()) return false;
    }
    const size_t first = mesh_.offsets.back(), corners = mesh_.indices.size() - first;
    if (corners < 3) {
      return fail(format("face %zu has %zu corners, but must have 3 or more", mesh_.offsets.size(), corners));
    }
    if (mesh_.indices.size() > kMaxCorners) return fail("more than 2^32 face corners");
    mesh_.offsets.push_back(static_cast<uint32_t>(mesh_.indices.size()));
    return true;
  }

  bool corner() {
    const char* start = cursor_.at;
    int64_t index = 0;
    bool good = parse_integer(cursor_, index);
    if (good && !cursor_.at_end() && *cursor_.at == '/') {  // texture and normal: only their syntax is checked
      while (!cursor_.at_end() && (is_digit(*cursor_.at) || *cursor_.at == '/' || *cursor_.at == '-')) {
        ++cursor_.at;
      }
    }
    if (!good || !ends_here()) {
      cursor_.at = start;
      return fail("expected a vertex number, found " + quoted(cursor_.word()));
    }
    const auto count = static_cast<int64_t>(mesh_.vertices.size());
    const int64_t resolved = index < 0 ? count + index : index - 1;
    if (resolved < 0 || resolved >= static_cast<int64_t>(kMaxCorners)) {
      return fail(
          format("the face uses vertex %lld, but numbers go from 1 to the number of vertices "
                 "(or from -1 down, counted from the last of %lld)",
                 static_cast<long long>(index), static_cast<long long>(count)));
    }
    if (static_cast<size_t>(resolved) >= largest_index_) {  // the vertex may come later in the file
      largest_index_ = static_cast<size_t>(resolved) + 1;
      largest_at_ = start;
    }
    mesh_.indices.push_back(static_cast<uint32_t>(resolved));
    return true;
  }

  void rename(std::string_view NameRun::*which) {
    NameRun next = current_;
    next.*which = cursor_.rest_of_line();
    end_run();
    current_ = next;
    current_.first_face = mesh_.offsets.size() - 1;
  }
  void end_run() {
    if (mesh_.offsets.size() - 1 > current_.first_face) runs_.push_back(current_);
  }

  void name_faces() {
    bool by_object = false, has_groups = false;
    for (const NameRun& run : runs_) {
      by_object |= run.object != runs_[0].object;
      has_groups |= !run.group.empty();
    }
    by_object |= !has_groups;
    const size_t faces = mesh_.offsets.size() - 1;
    mesh_.part_of_face.resize(faces);
    mesh_.material_of_face.resize(faces);
    Names parts, materials;
    for (size_t k = 0; k < runs_.size(); ++k) {
      const NameRun& run = runs_[k];
      const size_t last = k + 1 < runs_.size() ? runs_[k + 1].first_face : faces;
      const uint32_t part = parts.id_of(by_object ? run.object : run.group);
      const uint32_t material = materials.id_of(run.material);
      for (size_t f = run.first_face; f < last; ++f) {
        mesh_.part_of_face[f] = part;
        mesh_.material_of_face[f] = material;
      }
    }
    parts.move_to(mesh_.part_names, mesh_.part_of_face);
    materials.move_to(mesh_.material_names, mesh_.material_of_face);
  }

  const Source& source_;
  std::string_view text_;
  TextCursor cursor_;
  Mesh mesh_;
  std::string problem_;
  size_t largest_index_ = 0;  // counted from 1
  const char* largest_at_ = nullptr;
  NameRun current_{};
  std::vector<NameRun> runs_;
};

}  // namespace

Result<Mesh> read_obj(const Source& source) { return ObjReader(source).run(); }

}  // namespace hitbox::internal::io
