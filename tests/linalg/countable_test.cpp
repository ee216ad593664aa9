#include "limber/linalg/countable.hpp"

#include <gtest/gtest.h>

#include <string>

namespace limber {
namespace {

TEST(Countable, UpToTheLargestIntAndNotBeyond) {
  constexpr Index most = 2147483647;
  EXPECT_NO_THROW(require_countable(0));
  EXPECT_NO_THROW(require_countable(most));
  for (const Index entries : {most + 1, 9 * Index{238609295}, Index{1} << 40}) {
    try {
      require_countable(entries);
      ADD_FAILURE() << entries;
    } catch (const InputError& e) {
      EXPECT_EQ(e.where(), "bodies");
      EXPECT_NE(e.message().find(std::to_string(entries) + " entries"), std::string::npos) << e.message();
    }
  }
}

}  // namespace
}  // namespace limber
