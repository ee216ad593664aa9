#include "limber/core/json_depth.hpp"

#include <gtest/gtest.h>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

std::string lists(int levels) {
  return std::string(static_cast<std::size_t>(levels), '[') + std::string(static_cast<std::size_t>(levels), ']');
}

TEST(JsonDepth, CountsObjectsAndListsInEachOther) {
  EXPECT_TRUE(is_shallow_json(lists(most_json_levels)));
  EXPECT_FALSE(is_shallow_json(lists(most_json_levels + 1)));
  EXPECT_FALSE(is_shallow_json(std::string(400000, '[')));
  std::string beside = "[";
  for (int i = 0; i < 1000; ++i) beside += R"({"a": [1, {"b": 2}]},)";
  EXPECT_TRUE(is_shallow_json(beside));
  EXPECT_THROW(require_shallow_json(std::string(101, '{'), "x.json"), InputError);
}

TEST(JsonDepth, BracketsInTextsDoNotCount) {
  EXPECT_TRUE(is_shallow_json("[\"" + std::string(1000, '[') + "\"]"));
  EXPECT_TRUE(is_shallow_json("[\"\\\"" + std::string(1000, '[') + "\"]"));
  // A backslash that is itself behind one hides nothing: the text ends there.
  EXPECT_FALSE(is_shallow_json("[\"\\\\\"" + std::string(1000, '[') + "\"]"));
}

}  // namespace
}  // namespace limber
