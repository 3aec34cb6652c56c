// A minimal test framework: TEST(name) { CHECK(...); } in any file of tests/.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

namespace hitbox::tests {

struct Test {
  const char* file;
  const char* name;
  void (*body)();
};

inline std::vector<Test>& all_tests() {
  static std::vector<Test> tests;
  return tests;
}
inline int& failures() {
  static int count = 0;
  return count;
}
inline bool add_test(const char* file, const char* name, void (*body)()) {
  all_tests().push_back({file, name, body});
  return true;
}
inline void fail(const char* file, int line, const char* what) {
  ++failures();
  if (failures() <= 50) std::fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
}

}  // namespace hitbox::tests

#define TEST(name)                                                                 \
  static void name();                                                              \
  static const bool name##_added = hitbox::tests::add_test(__FILE__, #name, name); \
  static void name()
#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) hitbox::tests::fail(__FILE__, __LINE__, #condition); \
  } while (false)
#define CHECK_NEAR(a, b, tolerance) CHECK(std::abs((a) - (b)) <= (tolerance))
