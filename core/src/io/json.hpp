// A small JSON reader (RFC 8259) for glTF.
//
// Flat: one 16-byte node a value, in the order of the text, so memory is at most eight times the
// text. Strings without escapes are views into the text, which must outlive the document.
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

// A value, or nothing: looking inside nothing gives nothing, so that a chain needs one check.
class JsonValue {
 public:
  JsonValue() = default;
  JsonValue(const Json* document, uint32_t node) : document_(document), node_(node) {}

  explicit operator bool() const { return document_ != nullptr; }
  bool is(JsonKind kind) const;
  JsonValue operator[](std::string_view key) const;                     // the first member of that name; O(members)
  std::vector<JsonValue> items() const;                                 // of an array
  std::vector<std::pair<std::string_view, JsonValue>> members() const;  // of an object

  std::string_view string() const;  // empty unless a string
  std::optional<double> number() const;
  std::optional<uint64_t> index() const;  // a whole number, 0 .. 2^53
  bool boolean() const;                   // false unless true
  size_t nbytes() const;                  // of memory, with all it holds: what a walk through it costs

 private:
  const Json* document_ = nullptr;
  uint32_t node_ = 0;
};

class Json {
 public:
  static constexpr int kMaxDepth = 128;

  static Result<Json> parse(std::string_view text);  // the error says the byte
  JsonValue root() const { return {this, 0}; }

 private:
  friend class JsonValue;
  friend class JsonParser;
  struct Node {
    JsonKind kind;
    uint32_t next;  // the node behind this one and all it holds
    union {
      double number;
      uint64_t string;  // index into strings_
      bool boolean;
    };
  };
  std::vector<Node> nodes_;  // an object's keys are strings before their values
  std::vector<std::string_view> strings_;
  std::deque<std::string> unescaped_;  // a deque: the views into it stay valid
};

}  // namespace hitbox::internal::io
