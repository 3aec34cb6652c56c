#include "base/large_pages.hpp"

#include <cstdint>

#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::base;

// Sizes near pages, at which a wrongly rounded range would include other memory.
TEST(large_pages_leave_what_a_list_holds) {
  for (const size_t before : {size_t{0}, size_t{1}, size_t{300'000}}) {
    for (const size_t bytes : {size_t{0}, size_t{7}, size_t{2} << 20, (size_t{2} << 20) - 1, (size_t{6} << 20) + 5}) {
      std::vector<uint64_t> list, expected;
      for (size_t k = 0; k < before; ++k) list.push_back(k * k);
      expected = list;
      resize_large(list, before + bytes / sizeof(uint64_t));
      expected.resize(before + bytes / sizeof(uint64_t));
      CHECK(list == expected);
      const uint64_t* at = list.data();
      reserve_large(list, list.size() / 2);
      CHECK(list.data() == at);
      CHECK(list == expected);
    }
  }
}

TEST(large_pages_are_asked_for_any_range) {
  std::vector<uint8_t> memory((size_t{8} << 20) + 3, 7);
  for (const size_t first : {size_t{0}, size_t{1}, size_t{2} << 20, memory.size()})
    for (const size_t last : {first, memory.size()}) prefer_large_pages(memory.data() + first, last - first);
  prefer_large_pages(nullptr, 0);
  for (const uint8_t byte : memory) CHECK(byte == 7);
}
