// Compares four numbers at a time with one at a time.
#include "base/lanes.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::base;

namespace {

plain::Float4 random_lanes(Random& random) {
  plain::Float4 lanes;
  for (size_t k = 0; k < 4; ++k)  // some are equal, so that comparisons have ties
    lanes[k] = static_cast<float>(random.uniform() < 0.2 ? 0.5 : random.uniform(-3, 3));
  return lanes;
}

Float4 native(const plain::Float4& lanes) { return Float4{lanes[0], lanes[1], lanes[2], lanes[3]}; }

template <class Native, class Plain>
bool same(const Native& a, const Plain& b) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
}

}  // namespace

TEST(lanes_are_the_same_with_and_without_vector_instructions) {
  Random random(3);
  for (int k = 0; k < 1000; ++k) {
    const plain::Float4 a = random_lanes(random), b = random_lanes(random);
    const Float4 x = native(a), y = native(b);
    CHECK(same(x + y, a + b));
    CHECK(same(x - y, a - b));
    CHECK(same(x * y, a * b));
    CHECK(same(x / y, a / b));
    CHECK(same(x < y, a < b));
    CHECK(same(x <= y, a <= b));
    CHECK(same((x < y) & (y <= x), (a < b) & (b <= a)));
    CHECK(same((x < y) | (y <= x), (a < b) | (b <= a)));
    CHECK(same(select(x < y, x, y), select(a < b, a, b)));
    CHECK(any(x < y) == (a[0] < b[0] || a[1] < b[1] || a[2] < b[2] || a[3] < b[3]));
    for (size_t lane = 0; lane < 4; ++lane) {
      CHECK(least(x, y)[lane] == std::min(a[lane], b[lane]));
      CHECK(most(x, y)[lane] == std::max(a[lane], b[lane]));
    }
  }
}

TEST(rows_become_columns) {
  std::array<float, 16> numbers;
  for (size_t k = 0; k < 16; ++k) numbers[k] = static_cast<float>(k);
  std::array<Float4, 4> rows;
  for (size_t k = 0; k < 4; ++k) rows[k] = load(numbers.data() + 4 * k);
  transpose(rows[0], rows[1], rows[2], rows[3]);
  for (size_t row = 0; row < 4; ++row)
    for (size_t column = 0; column < 4; ++column) CHECK(rows[row][column] == numbers[4 * column + row]);
}
