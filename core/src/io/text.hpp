// Parses numbers and words of text formats, at the speed of from_chars and independent of the locale.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "io/source.hpp"

namespace hitbox::internal::io {

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct TextCursor {
  const char *at, *end;

  explicit TextCursor(std::string_view text) : at(text.data()), end(at + text.size()) {}
  bool at_end() const { return at == end; }
  bool at_line_end() const { return at == end || *at == '\n'; }
  void skip_blanks() {
    while (at < end && is_blank(*at)) ++at;
  }
  void skip_white() {
    while (at < end && (is_blank(*at) || *at == '\n')) ++at;
  }
  void skip_line() {  // moves to the start of the next line
    const void* found = at < end ? std::memchr(at, '\n', static_cast<size_t>(end - at)) : nullptr;
    at = found ? static_cast<const char*>(found) + 1 : end;
  }
  std::string_view word() {  // returns the text up to the next white space
    const char* start = at;
    while (at < end && !is_blank(*at) && *at != '\n') ++at;
    return {start, static_cast<size_t>(at - start)};
  }
  std::string_view rest_of_line() const {  // without blanks at its ends; does not move the cursor
    const char* first = at;
    while (first < end && is_blank(*first)) ++first;
    const void* found = first < end ? std::memchr(first, '\n', static_cast<size_t>(end - first)) : nullptr;
    const char* last = found ? static_cast<const char*>(found) : end;
    while (last > first && is_blank(last[-1])) --last;
    return {first, static_cast<size_t>(last - first)};
  }
  size_t left() const { return static_cast<size_t>(end - at); }
};

// 1 for the first line. Linear in the file, so only for messages.
inline size_t line_of(std::string_view text, const char* at) {
  return 1 + static_cast<size_t>(std::count(text.data(), at, '\n'));
}
inline std::string problem_at(const Source& source, const char* at, const std::string& what, const char* advice) {
  return format("%s: line %zu: %s. %s", source.name.c_str(), line_of(source.text(), at), what.c_str(), advice);
}

// from_chars does not set values out of range: use 0 for a value that is too small, infinity otherwise.
inline double out_of_range_value(std::string_view number) {
  const size_t exponent = number.find_first_of("eE");
  if (exponent != std::string_view::npos) {
    return number.substr(exponent + 1, 1) == "-" ? 0 : std::numeric_limits<double>::infinity();
  }
  const size_t digit = number.find_first_of("123456789.");
  return digit != std::string_view::npos && number[digit] == '.' ? 0 : std::numeric_limits<double>::infinity();
}

// from_chars accepts no '+'. "+-1" stays invalid.
inline const char* behind_plus(const TextCursor& cursor) {
  const bool skips = cursor.left() > 1 && cursor.at[0] == '+' && cursor.at[1] != '-';
  return cursor.at + skips;
}

// Reads a number at the cursor; the caller checks the text after it. Also accepts a leading '+', "nan" and "inf" (for a
// better message later).
inline bool parse_double(TextCursor& cursor, double& value) {
  const char* first = behind_plus(cursor);
  const auto [last, error] = std::from_chars(first, cursor.end, value);
  if (error == std::errc::invalid_argument) return false;
  if (error == std::errc::result_out_of_range) {
    value = out_of_range_value({first, static_cast<size_t>(last - first)});
  }
  cursor.at = last;
  return true;
}

// Reads a whole number that fits, and moves the cursor behind it.
template <class Integer>
bool parse_integer(TextCursor& cursor, Integer& value) {
  const char* first = behind_plus(cursor);
  const auto [last, error] = std::from_chars(first, cursor.end, value);
  if (error != std::errc()) return false;
  cursor.at = last;
  return true;
}

inline bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return lower(x) == lower(y);
  });
}

}  // namespace hitbox::internal::io
