// A small JSON reader (RFC 8259) for glTF.
//
// The document is flat: one 16-byte node per value, in the order of the text, so it needs at most eight times the
// memory of the text. Strings without escapes are views into the text, which must outlive the document.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/result.hpp"

namespace hitbox::internal::io {

enum class JsonKind : uint8_t { null, boolean, number, string, array, object };

class Json;

// A value, or nothing. A lookup in nothing gives nothing, so a chain of lookups needs one check.
class JsonValue {
 public:
  JsonValue() = default;
  JsonValue(const Json* document, uint32_t node) : document_(document), node_(node) {}

  explicit operator bool() const { return document_ != nullptr; }
  bool is(JsonKind kind) const;
  JsonValue operator[](std::string_view key) const;                     // the first member of that name; O(members)
  std::vector<JsonValue> items() const;                                 // items of an array
  std::vector<std::pair<std::string_view, JsonValue>> members() const;  // members of an object

  std::string_view string() const;  // empty unless it is a string
  std::optional<double> number() const;
  std::optional<uint64_t> index() const;  // a whole number, 0 .. 2^53
  bool boolean() const;                   // true only for the value true
  size_t nbytes() const;                  // memory with all contents, which is the cost of a walk through it

 private:
  const Json* document_ = nullptr;
  uint32_t node_ = 0;
};

class Json {
 public:
  static constexpr int kMaxDepth = 128;

  static Result<Json> parse(std::string_view text);  // the error gives the byte
  JsonValue root() const { return {this, 0}; }

 private:
  friend class JsonValue;
  friend class JsonParser;
  struct Node {
    JsonKind kind;
    uint32_t next;  // the node after this one and its contents
    union {
      double number;
      uint64_t string;  // index into strings_
      bool boolean;
    };
  };
  std::vector<Node> nodes_;  // an object's keys are strings that precede their values
  std::vector<std::string_view> strings_;
  std::deque<std::string> unescaped_;  // a deque: the views into it stay valid
};

}  // namespace hitbox::internal::io
