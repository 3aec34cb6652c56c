// Runs all tests whose name contains the argument (all without one).
#include "tests/check.hpp"

int main(int argc, char** argv) {
  using namespace hitbox::tests;
  int ran = 0, failed = 0;
  for (const Test& test : all_tests()) {
    if (argc > 1 && !std::strstr(test.name, argv[1])) continue;
    const int before = failures();
    test.body();
    ++ran;
    if (failures() != before) {
      ++failed;
      std::fprintf(stderr, "FAILED %s\n", test.name);
    }
  }
  std::printf("%d passed, %d failed\n", ran - failed, failed);
  return failed != 0 || ran == 0;
}
