// PLY (Greg Turk, "The PLY Polygon File Format"): text and both binary orders, any properties in any order. Reads x, y,
// z of `vertex` and the index lists of `face` and `tristrips`, and ignores everything else. Polygons stay polygons.
#include <optional>

#include "io/readers.hpp"
#include "io/text.hpp"

namespace hitbox::internal::io {
namespace {

enum class Scalar : uint8_t { i8, u8, i16, u16, i32, u32, f32, f64 };

std::optional<Scalar> scalar_named(std::string_view name) {
  struct Known {
    std::string_view name;
    Scalar type;
  };
  static constexpr Known kKnown[] = {
      {"char", Scalar::i8},   {"int8", Scalar::i8},     {"uchar", Scalar::u8},   {"uint8", Scalar::u8},
      {"short", Scalar::i16}, {"int16", Scalar::i16},   {"ushort", Scalar::u16}, {"uint16", Scalar::u16},
      {"int", Scalar::i32},   {"int32", Scalar::i32},   {"uint", Scalar::u32},   {"uint32", Scalar::u32},
      {"float", Scalar::f32}, {"float32", Scalar::f32}, {"double", Scalar::f64}, {"float64", Scalar::f64}};
  for (const Known& known : kKnown) {
    if (known.name == name) return known.type;
  }
  return std::nullopt;
}
constexpr size_t size_of(Scalar type) {
  constexpr uint8_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
  return kSizes[static_cast<size_t>(type)];
}
constexpr bool is_whole(Scalar type) { return type < Scalar::f32; }

struct Property {
  std::string_view name;
  Scalar type;
  std::optional<Scalar> count_type;  // of a list
};

struct Element {
  std::string_view name;
  uint64_t count = 0;
  std::vector<Property> properties;
};

enum class Encoding { text, little, big };

struct Header {
  std::optional<Encoding> encoding;
  std::vector<Element> elements;
  size_t size = 0;  // start of the body
};

// The body as a stream of values. In both kinds `number` and `whole` read one value, and return false at the end or at
// another token; `least` is the fewest bytes of a value.
class TextBody {
 public:
  explicit TextBody(std::string_view text) : cursor_(text) {}
  bool number(Scalar, double& value) {
    cursor_.skip_white();
    return parse_double(cursor_, value) && ends_here();
  }
  bool whole(Scalar, int64_t& value) {
    cursor_.skip_white();
    return parse_integer(cursor_, value) && ends_here();
  }
  bool skip(Scalar, uint64_t count) {
    for (; count > 0; --count) {
      cursor_.skip_white();
      if (cursor_.word().empty()) return false;
    }
    return true;
  }
  static size_t least(Scalar) { return 2; }
  size_t left() const { return cursor_.left() + 1; }  // the last value needs no space after it
  const char* at() const { return cursor_.at; }

 private:
  bool ends_here() const { return cursor_.at_line_end() || is_blank(*cursor_.at); }
  TextCursor cursor_;
};

template <std::endian order>
class BinaryBody {
 public:
  explicit BinaryBody(std::string_view text)
      : at_(reinterpret_cast<const uint8_t*>(text.data())), end_(at_ + text.size()) {}
  bool number(Scalar type, double& value) {
    if (type == Scalar::f32) {
      float narrow = 0;
      if (!take(narrow)) return false;
      value = static_cast<double>(narrow);
      return true;
    }
    if (type == Scalar::f64) return take(value);
    int64_t integer = 0;
    if (!whole(type, integer)) return false;
    value = static_cast<double>(integer);
    return true;
  }
  bool whole(Scalar type, int64_t& value) {
    switch (type) {
      case Scalar::i8: return take_as<int8_t>(value);
      case Scalar::u8: return take_as<uint8_t>(value);
      case Scalar::i16: return take_as<int16_t>(value);
      case Scalar::u16: return take_as<uint16_t>(value);
      case Scalar::i32: return take_as<int32_t>(value);
      case Scalar::u32: return take_as<uint32_t>(value);
      default: return false;
    }
  }
  bool skip(Scalar type, uint64_t count) {
    if (count > left() / size_of(type)) return false;
    at_ += count * size_of(type);
    return true;
  }
  static size_t least(Scalar type) { return size_of(type); }
  size_t left() const { return static_cast<size_t>(end_ - at_); }
  const char* at() const { return reinterpret_cast<const char*>(at_); }

 private:
  template <class T>
  bool take(T& value) {
    if (left() < sizeof(T)) return false;
    value = load<T, order>(at_);
    at_ += sizeof(T);
    return true;
  }
  template <class T>
  bool take_as(int64_t& value) {
    T narrow{};
    if (!take(narrow)) return false;
    value = static_cast<int64_t>(narrow);
    return true;
  }
  const uint8_t *at_, *end_;
};

class PlyReader {
 public:
  explicit PlyReader(const Source& source) : source_(source), text_(source.text()) {}

  Result<Mesh> run() {
    if (!read_header() || !check_elements()) return Error{problem_};
    const std::string_view body = text_.substr(header_.size);
    bool good = false;
    switch (*header_.encoding) {
      case Encoding::text: good = read_body(TextBody(body)); break;
      case Encoding::little: good = read_body(BinaryBody<std::endian::little>(body)); break;
      case Encoding::big: good = read_body(BinaryBody<std::endian::big>(body)); break;
    }
    if (!good) return Error{problem_};
    return std::move(mesh_);
  }

 private:
  bool fail(const std::string& where, const std::string& what) {
    problem_ = format("%s: %s: %s. Fix or repeat the export.", source_.name.c_str(), where.c_str(), what.c_str());
    return false;
  }
  bool fail_header(const std::string& what) { return fail(format("header line %zu", header_line_), what); }
  bool fail_body(const char* at, const std::string& what) {
    if (header_.encoding == Encoding::text) {
      return fail(format("line %zu", line_of(text_, at)), what);
    }
    return fail(format("byte %zu", static_cast<size_t>(at - text_.data())), what);
  }

  // All lines end like the first one: "\n", "\r\n" or "\r". A guess at the last header line could swallow a first byte
  // of binary data that looks like a line end.
  bool read_header() {
    const size_t first_end = text_.find_first_of("\r\n");
    if (first_end == std::string_view::npos || text_.substr(0, first_end) != "ply") {
      header_line_ = 1;
      return fail_header("expected 'ply'");
    }
    const std::string_view line_end = text_[first_end] == '\n'               ? "\n"
                                      : text_.substr(first_end, 2) == "\r\n" ? "\r\n"
                                                                             : "\r";
    for (size_t at = 0;;) {
      ++header_line_;
      const size_t end = text_.find(line_end, at);
      if (end == std::string_view::npos) return fail_header("the file ends inside the header");
      const std::string_view line = text_.substr(at, end - at);
      at = end + line_end.size();
      bool is_last = false;
      if (header_line_ > 1 && !header_line(line, is_last)) return false;
      if (!is_last) continue;
      header_.size = at;
      return true;
    }
  }

  bool header_line(std::string_view line, bool& is_last) {
    TextCursor words(line);
    const auto next = [&] {
      words.skip_blanks();
      return words.word();
    };
    const std::string_view keyword = next();
    if (keyword.empty() || keyword == "comment" || keyword == "obj_info") return true;
    if (keyword == "end_header") return is_last = true;
    if (keyword == "format") {
      const std::string_view kind = next();
      if (kind == "ascii") header_.encoding = Encoding::text;
      if (kind == "binary_little_endian") header_.encoding = Encoding::little;
      if (kind == "binary_big_endian") header_.encoding = Encoding::big;
      return header_.encoding || fail_header("unknown format " + quoted(kind));
    }
    if (keyword == "element") {
      Element element;
      element.name = next();
      words.skip_blanks();
      if (!parse_integer(words, element.count)) return fail_header("expected 'element NAME COUNT'");
      header_.elements.push_back(element);
      return true;
    }
    if (keyword != "property") return fail_header("unknown keyword " + quoted(keyword));
    if (header_.elements.empty()) return fail_header("a property before any element");
    Property property{};
    std::string_view type = next();
    if (type == "list") {
      type = next();
      property.count_type = scalar_named(type);
      if (!property.count_type || !is_whole(*property.count_type)) {
        return fail_header("unknown type of a list's length: " + quoted(type));
      }
      type = next();
    }
    const auto scalar = scalar_named(type);
    if (!scalar) return fail_header("unknown type " + quoted(type));
    property.type = *scalar;
    property.name = next();
    header_.elements.back().properties.push_back(property);
    return true;
  }

  static bool is_index_list(const Property& property) {
    return property.count_type && (property.name == "vertex_indices" || property.name == "vertex_index");
  }

  bool check_elements() {
    if (!header_.encoding) return fail("header", "the line 'format' is missing");
    bool has_faces = false, has_vertices = false;
    for (const Element& element : header_.elements) {
      if (element.name == "vertex") {
        if (std::exchange(has_vertices, true)) return fail("header", "two elements 'vertex'");
        vertex_count_ = element.count;
        for (const std::string_view axis : {"x", "y", "z"}) {
          const auto same = [&](const Property& p) { return p.name == axis && !p.count_type; };
          if (std::none_of(element.properties.begin(), element.properties.end(), same)) {
            return fail("header", "the element 'vertex' has no property " + quoted(axis));
          }
        }
      }
      if (element.name != "face" && element.name != "tristrips") continue;
      for (const Property& property : element.properties) {
        if (!is_index_list(property)) continue;
        if (!is_whole(property.type)) return fail("header", "vertex indices must be whole numbers");
        has_faces = true;
      }
    }
    if (!has_vertices) return fail("header", "there is no element 'vertex'");
    return has_faces || fail("header", "there are no faces (no 'face' with a list 'vertex_indices'), only points");
  }

  template <class Body>
  bool read_body(Body body) {
    for (const Element& element : header_.elements) {
      uint64_t least = 0;
      for (const Property& p : element.properties) least += Body::least(p.count_type ? *p.count_type : p.type);
      if (least == 0) continue;  // no properties, no bytes
      if (element.count > body.left() / least) {
        return fail_body(body.at(), format("%llu x '%s' do not fit into the %zu bytes that follow",
                                           static_cast<unsigned long long>(element.count),
                                           clean_text(element.name.substr(0, 40)).c_str(), body.left()));
      }
      const bool good = element.name == "vertex"      ? read_vertices(body, element)
                        : element.name == "face"      ? read_faces(body, element, false)
                        : element.name == "tristrips" ? read_faces(body, element, true)
                                                      : skip_element(body, element);
      if (!good) return false;
    }
    return true;
  }

  template <class Body>
  bool fail_value(const Body& body, const Element& element, uint64_t row) {
    return fail_body(body.at(),
                     format("%s %zu of %zu ends too early or has a bad number",
                            clean_text(element.name.substr(0, 40)).c_str(), size_t(row), size_t(element.count)));
  }

  template <class Body>
  static bool skip_property(Body& body, const Property& property) {
    if (!property.count_type) return body.skip(property.type, 1);
    int64_t count = 0;
    return body.whole(*property.count_type, count) && count >= 0 &&
           body.skip(property.type, static_cast<uint64_t>(count));
  }

  template <class Body>
  bool skip_element(Body& body, const Element& element) {
    for (uint64_t row = 0; row < element.count; ++row) {
      for (const Property& property : element.properties) {
        if (!skip_property(body, property)) return fail_value(body, element, row);
      }
    }
    return true;
  }

  template <class Body>
  bool read_vertices(Body& body, const Element& element) {
    std::vector<int> axes;
    for (const Property& p : element.properties) {
      axes.push_back(p.count_type ? -1 : p.name == "x" ? 0 : p.name == "y" ? 1 : p.name == "z" ? 2 : -1);
    }
    resize_large(mesh_.vertices, element.count);
    for (uint64_t row = 0; row < element.count; ++row) {
      for (size_t k = 0; k < axes.size(); ++k) {
        const Property& p = element.properties[k];
        const bool good = axes[k] < 0 ? skip_property(body, p) : body.number(p.type, mesh_.vertices[row][axes[k]]);
        if (!good) return fail_value(body, element, row);
      }
    }
    return true;
  }

  template <class Body>
  bool read_faces(Body& body, const Element& element, bool are_strips) {
    if (!are_strips) {
      reserve_large(mesh_.offsets, element.count + 1);
      reserve_large(mesh_.indices, std::min<uint64_t>(3 * element.count, body.left()));
    }
    for (uint64_t row = 0; row < element.count; ++row) {
      for (const Property& p : element.properties) {
        const bool good = !is_index_list(p) ? skip_property(body, p) || fail_value(body, element, row)
                          : are_strips      ? read_strip(body, element, p, row)
                                            : read_face(body, element, p, row);
        if (!good) return false;
      }
    }
    return true;
  }

  template <class Body>
  bool read_length(Body& body, const Element& element, const Property& property, uint64_t row, int64_t& length) {
    if (!body.whole(*property.count_type, length) || length < 0) return fail_value(body, element, row);
    return static_cast<uint64_t>(length) <= body.left() / Body::least(property.type) || fail_value(body, element, row);
  }

  bool fail_index(const char* at, const Element& element, uint64_t row, int64_t index) {
    return fail_body(
        at, format("%s %zu uses vertex %lld, but the file has %zu (counted from 0)", clean_text(element.name).c_str(),
                   size_t(row), static_cast<long long>(index), size_t(vertex_count_)));
  }

  bool end_face(const char* at) {
    if (mesh_.indices.size() > kMaxCorners) return fail_body(at, "more than 2^32 face corners");
    mesh_.offsets.push_back(static_cast<uint32_t>(mesh_.indices.size()));
    return true;
  }

  template <class Body>
  bool read_face(Body& body, const Element& element, const Property& property, uint64_t row) {
    int64_t corners = 0, index = 0;
    if (!read_length(body, element, property, row, corners)) return false;
    if (corners < 3) {
      return fail_body(body.at(), format("face %zu has %lld corners, but must have 3 or more", size_t(row),
                                         static_cast<long long>(corners)));
    }
    for (int64_t k = 0; k < corners; ++k) {
      if (!body.whole(property.type, index)) return fail_value(body, element, row);
      if (static_cast<uint64_t>(index) >= vertex_count_) return fail_index(body.at(), element, row, index);
      mesh_.indices.push_back(static_cast<uint32_t>(index));
    }
    return end_face(body.at());
  }

  // Triangle strips, separated by -1. Every second triangle of a strip is reversed.
  template <class Body>
  bool read_strip(Body& body, const Element& element, const Property& property, uint64_t row) {
    int64_t length = 0, corners[3] = {};
    if (!read_length(body, element, property, row, length)) return false;
    for (int64_t k = 0, in_strip = 0; k < length; ++k) {
      if (!body.whole(property.type, corners[2])) return fail_value(body, element, row);
      if (corners[2] == -1) {
        in_strip = 0;
        continue;
      }
      if (static_cast<uint64_t>(corners[2]) >= vertex_count_) {
        return fail_index(body.at(), element, row, corners[2]);
      }
      if (++in_strip >= 3) {
        const bool turned = in_strip % 2 == 0;
        for (const int64_t index : {corners[turned ? 1 : 0], corners[turned ? 0 : 1], corners[2]}) {
          mesh_.indices.push_back(static_cast<uint32_t>(index));
        }
        if (!end_face(body.at())) return false;
      }
      corners[0] = corners[1];
      corners[1] = corners[2];
    }
    return true;
  }

  const Source& source_;
  std::string_view text_;
  size_t header_line_ = 0;
  Header header_;
  uint64_t vertex_count_ = 0;
  Mesh mesh_;
  std::string problem_;
};

}  // namespace

Result<Mesh> read_ply(const Source& source) { return PlyReader(source).run(); }

}  // namespace hitbox::internal::io
