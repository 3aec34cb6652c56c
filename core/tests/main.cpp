// hitbox_tests [--list] [FILTER...]: runs the tests whose "folder/file_test.cpp:name" contains one of the filters.
// Without a filter it runs all of them.
#include <string>

#include "tests/check.hpp"

namespace {

std::string title(const hitbox::tests::Test& test) {
  const std::string path = test.file;
  const size_t folder = path.rfind("tests/");
  return path.substr(folder == std::string::npos ? 0 : folder + 6) + ":" + test.name;
}

bool picked(const std::string& title, int count, char** filters) {
  if (count == 0) return true;
  for (int i = 0; i < count; ++i)
    if (title.find(filters[i]) != std::string::npos) return true;
  return false;
}

bool passes(const hitbox::tests::Test& test, const std::string& title) {
  const int before = hitbox::tests::failures();
  test.body();
  if (hitbox::tests::failures() == before) return true;
  std::fprintf(stderr, "FAILED %s\n", title.c_str());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const bool lists = argc > 1 && std::string(argv[1]) == "--list";
  const int skipped = lists ? 2 : 1;
  int ran = 0, failed = 0;
  for (const hitbox::tests::Test& test : hitbox::tests::all_tests()) {
    const std::string name = title(test);
    if (!picked(name, argc - skipped, argv + skipped)) continue;
    ++ran;
    if (lists)
      std::printf("%s\n", name.c_str());
    else if (!passes(test, name))
      ++failed;
  }
  if (!lists) std::printf("%d passed, %d failed\n", ran - failed, failed);
  return failed != 0 || ran == 0;
}
