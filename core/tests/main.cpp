// hitbox_tests [--list | --odd | --even] [FILTER...]: runs the tests whose "folder/file_test.cpp:name" contains one of
// the filters, all without a filter. --odd and --even are every other one of these, for two processes.
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
  const std::string option = argc > 1 ? argv[1] : "";
  const bool lists = option == "--list", halves = option == "--odd" || option == "--even";
  const int skipped = lists || halves ? 2 : 1;
  int found = 0, ran = 0, failed = 0;
  for (const hitbox::tests::Test& test : hitbox::tests::all_tests()) {
    const std::string name = title(test);
    if (!picked(name, argc - skipped, argv + skipped)) continue;
    if (++found % 2 == (option == "--odd" ? 0 : 1) && halves) continue;
    ++ran;
    if (lists)
      std::printf("%s\n", name.c_str());
    else if (!passes(test, name))
      ++failed;
  }
  if (!lists) std::printf("%d passed, %d failed\n", ran - failed, failed);
  return failed != 0 || ran == 0;
}
