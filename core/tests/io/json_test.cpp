#include "io/json.hpp"

#include <cstring>
#include <memory>

#include "base/random.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::io;

namespace {

const std::string kText =
    R"({"a": [1, -2.5e3, true, false, null], "name": "x\u00e9\"\n\ud83d\ude00", "o": {"deep": {"k": 7}}})";

bool parses(const std::string& text) { return Json::parse(text).ok(); }

}  // namespace

TEST(json_values_come_back) {
  const auto parsed = Json::parse(kText);
  CHECK(parsed.ok());
  const JsonValue root = parsed.value().root();
  const auto items = root["a"].items();
  CHECK(items.size() == 5);
  CHECK(items[0].index() == 1u);
  CHECK(items[1].number() == -2500.0);
  CHECK(!items[1].index());
  CHECK(items[2].boolean() && !items[3].boolean() && items[4].is(JsonKind::null));
  CHECK(root["name"].string() == "x\xc3\xa9\"\n\xf0\x9f\x98\x80");
  CHECK(root["o"]["deep"]["k"].index() == 7u);
  CHECK(!root["o"]["missing"]["k"]);
  CHECK(root.members().size() == 3 && root.members()[2].first == "o");
}

TEST(json_refuses_what_is_not_json) {
  for (const char* wrong : {"", "{", "[1,]", "{\"a\"}", "{\"a\":1,}", "01x", "+1", "nan", "1e999", "\"\\x\"",
                            "\"\\u12g4\"", "\"open", "[1 2]", "{} {}", "tru", ".5", "1.", "1e"}) {
    CHECK(!parses(wrong));
  }
  for (const char* right : {"0", "-0.5E-3", "[]", "{}", " [ ] ", "\"\"", "1e-999"}) CHECK(parses(right));
}

TEST(json_depth_is_limited) {
  const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(parses(nested(Json::kMaxDepth)));
  CHECK(!parses(nested(Json::kMaxDepth + 2)));
  CHECK(!parses(std::string(1000000, '[')));
}

TEST(json_survives_every_prefix_and_flips) {
  // Copied to memory of its exact size, so that the sanitizer detects reads beyond it.
  const auto survives = [](std::string_view text) {
    const auto exact = std::make_unique<char[]>(text.size());
    std::memcpy(exact.get(), text.data(), text.size());
    return Json::parse({exact.get(), text.size()}).ok();
  };
  for (size_t size = 1; size < kText.size(); ++size) CHECK(!survives(std::string_view(kText).substr(0, size)));
  Random random(3);
  size_t good = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = kText;
    text[random.below(text.size())] = static_cast<char>(random.below(256));
    good += survives(text);
  }
  CHECK(good > 0 && good < 20000);
}
