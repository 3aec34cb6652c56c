#include "io/obj_rows.hpp"

#include <bit>
#include <cstdio>
#include <cstdlib>

#include "base/random.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::base;
using namespace hitbox::internal::io;

namespace {

std::string text_of(double value) {
  const std::string row = vertex_rows(std::vector<Vec3>{{value, 0, 0}});
  return row.substr(2, row.find(' ', 2) - 2);
}

// The digits without leading and trailing zeros, up to the exponent.
size_t digits_of(const std::string& text) {
  std::string digits;
  for (const char c : text.substr(0, text.find('e')))
    if (c >= '0' && c <= '9' && !(c == '0' && digits.empty())) digits += c;
  return digits.find_last_not_of('0') + 1;
}

// The fewest digits with which printf writes a text that reads back to the same value.
size_t fewest_digits(double value) {
  for (int count = 1; count < 17; ++count) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*e", count - 1, value);
    if (std::strtod(text, nullptr) == value) return digits_of(text);
  }
  return 17;
}

}  // namespace

TEST(coordinates_are_written_as_python_writes_them) {
  const std::pair<double, const char*> known[] = {
      {0, "0.0"},
      {-0.0, "-0.0"},
      {100, "100.0"},
      {0.1, "0.1"},
      {1e-4, "0.0001"},
      {1e-5, "1e-05"},
      {-1e15, "-1000000000000000.0"},
      {1e16, "1e+16"},
      {1.25e-7, "1.25e-07"},
      {5e-324, "5e-324"},
      {9999999999999998, "9999999999999998.0"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
  };
  for (const auto& [value, text] : known) CHECK(text_of(value) == text);
}

TEST(coordinates_are_the_shortest_text_that_reads_back) {
  Random random(1);
  for (int round = 0; round < 20'000; ++round) {
    const double decimal = std::round(random.uniform(-1e4, 1e4)) * std::pow(10, std::round(random.uniform(-12, 20)));
    const double bits = std::bit_cast<double>(random.next());
    for (const double value : {decimal, bits}) {
      if (!std::isfinite(value) || value == 0) continue;
      const std::string text = text_of(value);
      CHECK(std::strtod(text.c_str(), nullptr) == value);
      CHECK(digits_of(text) <= fewest_digits(value));
      const bool is_small_or_large = std::abs(value) < 1e-4 || std::abs(value) >= 1e16;
      CHECK((text.find('e') != std::string::npos) == is_small_or_large);
      CHECK(is_small_or_large || text.find('.') != std::string::npos);
    }
  }
}

TEST(rows_have_a_tag_and_three_numbers) {
  CHECK(vertex_rows({}).empty());
  CHECK(vertex_rows(std::vector<Vec3>{{1, 0.5, -2}, {3e-9, 0, 7}}) == "v 1.0 0.5 -2.0\nv 3e-09 0.0 7.0\n");
  CHECK(triangle_rows(std::vector<uint32_t>{0, 1, 2, 2, 1, 4294967295u}, 1) == "f 1 2 3\nf 3 2 4294967296\n");
  CHECK(triangle_rows(std::vector<uint32_t>{0, 1, 2}, 10'000'000'000) == "f 10000000000 10000000001 10000000002\n");
}
