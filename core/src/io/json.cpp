#include "io/json.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "io/text.hpp"

namespace hitbox::internal::io {

class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : text_(text) {}

  Result<Json> run() {
    if (text_.size() >= std::numeric_limits<uint32_t>::max()) return Error{"more than 4 GB"};
    skip_space();
    bool good = value(0);
    if (good) {
      skip_space();
      if (at_ != text_.size()) good = fail("text after the end");
    }
    if (!good) return Error{format("%s at byte %zu", problem_, at_)};
    return std::move(json_);
  }

 private:
  bool fail(const char* problem) {
    problem_ = problem;
    return false;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
      ++at_;
    }
  }
  size_t add(JsonKind kind) {
    Json::Node node{};
    node.kind = kind;
    node.next = static_cast<uint32_t>(json_.nodes_.size() + 1);
    json_.nodes_.push_back(node);
    return json_.nodes_.size() - 1;
  }

  bool value(int depth) {
    if (depth > Json::kMaxDepth) return fail("values nested more than 128 deep");
    switch (peek()) {
      case '{': return object(depth);
      case '[': return array(depth);
      case '"': return string();
      case 't': return word("true", JsonKind::boolean, true);
      case 'f': return word("false", JsonKind::boolean, false);
      case 'n': return word("null", JsonKind::null, false);
      default: return number();
    }
  }

  bool word(std::string_view expected, JsonKind kind, bool boolean) {
    if (text_.substr(at_, expected.size()) != expected) return fail("unknown word");
    at_ += expected.size();
    json_.nodes_[add(kind)].boolean = boolean;
    return true;
  }

  bool digits() {
    const size_t start = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ > start;
  }

  bool number() {
    const size_t start = at_;
    if (peek() == '-') ++at_;
    if (!digits()) return fail(at_ < text_.size() ? "unexpected character" : "unexpected end");
    if (peek() == '.') {
      ++at_;
      if (!digits()) return fail("number without digits behind its point");
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!digits()) return fail("number without exponent");
    }
    double number = 0;
    TextCursor cursor(text_.substr(start, at_ - start));
    if (!parse_double(cursor, number) || std::isinf(number)) return fail("number out of range");
    json_.nodes_[add(JsonKind::number)].number = number;
    return true;
  }

  bool array(int depth) {
    const size_t self = add(JsonKind::array);
    ++at_;
    skip_space();
    if (peek() == ']') return close(self);
    for (;;) {
      skip_space();
      if (!value(depth + 1)) return false;
      skip_space();
      if (peek() == ']') return close(self);
      if (peek() != ',') return fail("expected ',' or ']'");
      ++at_;
    }
  }

  bool object(int depth) {
    const size_t self = add(JsonKind::object);
    ++at_;
    skip_space();
    if (peek() == '}') return close(self);
    for (;;) {
      skip_space();
      if (peek() != '"') return fail("expected a key in quotes");
      if (!string()) return false;
      skip_space();
      if (peek() != ':') return fail("expected ':'");
      ++at_;
      skip_space();
      if (!value(depth + 1)) return false;
      skip_space();
      if (peek() == '}') return close(self);
      if (peek() != ',') return fail("expected ',' or '}'");
      ++at_;
    }
  }

  bool close(size_t node) {
    ++at_;
    json_.nodes_[node].next = static_cast<uint32_t>(json_.nodes_.size());
    return true;
  }

  bool string() {
    const size_t start = ++at_;
    size_t stop = text_.find_first_of("\"\\", start);
    if (stop == std::string_view::npos) return fail("string without end");
    std::string_view content = text_.substr(start, stop - start);
    at_ = stop;
    if (text_[stop] == '\\') {
      std::string unescaped(content);
      if (!unescape(unescaped)) return false;
      content = json_.unescaped_.emplace_back(std::move(unescaped));
    }
    ++at_;
    const size_t node = add(JsonKind::string);
    json_.nodes_[node].string = json_.strings_.size();
    json_.strings_.push_back(content);
    return true;
  }

  // From a backslash on, up to the closing quote.
  bool unescape(std::string& out) {
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        out += text_[at_++];
        continue;
      }
      ++at_;
      const char c = peek();
      ++at_;
      switch (c) {
        case '"':
        case '\\':
        case '/': out += c; break;
        case 'b': out += '\b'; break;
        case 'f': out += '\f'; break;
        case 'n': out += '\n'; break;
        case 'r': out += '\r'; break;
        case 't': out += '\t'; break;
        case 'u':
          if (!code_point(out)) return false;
          break;
        default: return fail("unknown escape");
      }
    }
    return at_ < text_.size() || fail("string without end");
  }

  bool hex4(uint32_t& code) {
    if (at_ + 4 > text_.size()) return fail("string without end");
    const char *first = text_.data() + at_, *last = first + 4;
    const auto [end, error] = std::from_chars(first, last, code, 16);
    if (error != std::errc() || end != last) return fail("bad \\u escape");
    at_ += 4;
    return true;
  }

  bool code_point(std::string& out) {
    uint32_t code = 0, low = 0;
    if (!hex4(code)) return false;
    if (code >= 0xd800 && code < 0xdc00 && text_.substr(at_, 2) == "\\u") {
      at_ += 2;
      if (!hex4(low)) return false;
      if (low < 0xdc00 || low > 0xdfff) return fail("bad \\u escape");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    const auto put = [&](uint32_t byte) { out += static_cast<char>(byte); };
    if (code < 0x80) {
      put(code);
    } else if (code < 0x800) {
      put(0xc0 | code >> 6), put(0x80 | (code & 63));
    } else if (code < 0x10000) {
      put(0xe0 | code >> 12), put(0x80 | (code >> 6 & 63)), put(0x80 | (code & 63));
    } else {
      put(0xf0 | code >> 18), put(0x80 | (code >> 12 & 63)), put(0x80 | (code >> 6 & 63));
      put(0x80 | (code & 63));
    }
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  const char* problem_ = "";
  Json json_;
};

Result<Json> Json::parse(std::string_view text) { return JsonParser(text).run(); }

bool JsonValue::is(JsonKind kind) const { return document_ && document_->nodes_[node_].kind == kind; }

std::vector<JsonValue> JsonValue::items() const {
  std::vector<JsonValue> items;
  if (!is(JsonKind::array)) return items;
  const auto& nodes = document_->nodes_;
  for (uint32_t k = node_ + 1; k < nodes[node_].next; k = nodes[k].next) {
    items.emplace_back(document_, k);
  }
  return items;
}

std::vector<std::pair<std::string_view, JsonValue>> JsonValue::members() const {
  std::vector<std::pair<std::string_view, JsonValue>> members;
  if (!is(JsonKind::object)) return members;
  const auto& nodes = document_->nodes_;
  for (uint32_t k = node_ + 1; k < nodes[node_].next; k = nodes[k + 1].next) {
    members.emplace_back(document_->strings_[nodes[k].string], JsonValue(document_, k + 1));
  }
  return members;
}

JsonValue JsonValue::operator[](std::string_view key) const {
  if (!is(JsonKind::object)) return {};
  const auto& nodes = document_->nodes_;
  for (uint32_t k = node_ + 1; k < nodes[node_].next; k = nodes[k + 1].next) {
    if (document_->strings_[nodes[k].string] == key) return {document_, k + 1};
  }
  return {};
}

std::string_view JsonValue::string() const {
  return is(JsonKind::string) ? document_->strings_[document_->nodes_[node_].string] : std::string_view{};
}

std::optional<double> JsonValue::number() const {
  return is(JsonKind::number) ? std::optional(document_->nodes_[node_].number) : std::nullopt;
}

std::optional<uint64_t> JsonValue::index() const {
  const auto value = number();
  if (!value || !(*value >= 0 && *value <= 0x1p53) || *value != std::floor(*value)) return {};
  return static_cast<uint64_t>(*value);
}

size_t JsonValue::nbytes() const {
  return document_ ? (document_->nodes_[node_].next - node_) * sizeof(Json::Node) : 0;
}

bool JsonValue::boolean() const { return is(JsonKind::boolean) && document_->nodes_[node_].boolean; }

}  // namespace hitbox::internal::io
