#include "io/obj_rows.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace hitbox::internal::io {

namespace {

constexpr size_t kLongest = 32;  // of a number: 17 digits, sign, point, and four zeros or an exponent

// Without an exponent repr always writes a point.
char* put_number(char* at, double value) {
  const double size = std::abs(value);
  const bool is_plain = value == 0 || (size >= 1e-4 && size < 1e16);
  const auto form = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
  char* end = std::to_chars(at, at + kLongest, value, form).ptr;
  if (is_plain && std::find(at, end, '.') == end) {
    *end++ = '.';
    *end++ = '0';
  }
  return end;
}

char* put_number(char* at, uint64_t value) { return std::to_chars(at, at + kLongest, value).ptr; }

template <class Number>
void put_row(std::string& text, char tag, Number x, Number y, Number z) {
  char row[3 * (kLongest + 3)] = {tag};
  char* at = row + 1;
  for (const Number number : {x, y, z}) {
    *at++ = ' ';
    at = put_number(at, number);
  }
  *at++ = '\n';
  text.append(row, at);
}

}  // namespace

std::string vertex_rows(std::span<const Vec3> vertices) {
  std::string text;
  for (const Vec3& v : vertices) put_row(text, 'v', v.x, v.y, v.z);
  return text;
}

std::string triangle_rows(std::span<const uint32_t> corners, uint64_t first) {
  std::string text;
  for (size_t k = 0; k + 2 < corners.size(); k += 3)
    put_row(text, 'f', first + corners[k], first + corners[k + 1], first + corners[k + 2]);
  return text;
}

}  // namespace hitbox::internal::io
