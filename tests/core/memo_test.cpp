#include "limber/core/memo.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "support/several_threads.hpp"

namespace limber::test {
namespace {

TEST(Memo, ComputesAValueOnceForEachArgumentInARow) {
  const Memo<int, std::vector<int>> memo;
  int computed = 0;
  const auto ask = [&](int key) {
    return memo.at(key, [&](std::vector<int>& value) {
      ++computed;
      value.assign(3, key);
    });
  };
  const auto one = ask(1);
  EXPECT_EQ(ask(1), one);
  EXPECT_EQ(computed, 1);
  EXPECT_EQ(*ask(2), std::vector<int>(3, 2));
  EXPECT_EQ(*one, std::vector<int>(3, 1)) << "which is held";
  EXPECT_EQ(*ask(1), *one);
  EXPECT_EQ(computed, 3);
}

TEST(Memo, ForgetsAndIsLeftAloneByWhatThrows) {
  Memo<int, int> memo;
  EXPECT_EQ(*memo.at(1, [](int& x) { x = 10; }), 10);
  EXPECT_THROW(memo.at(2, [](int&) { throw 0; }), int);
  EXPECT_EQ(*memo.at(1, [](int& x) { x = 11; }), 10);
  memo.forget();
  EXPECT_EQ(*memo.at(1, [](int& x) { x = 12; }), 12);
}

TEST(Memo, FillsTheMemoryThatNobodyHolds) {
  const Memo<int, std::vector<int>> memo;
  int computed = 0;
  const auto ask = [&](int key) {
    return memo.at_in_place(key, [&](std::vector<int>& value) {
      ++computed;
      value.assign(50, key);
    });
  };
  const int* memory = ask(1)->data();
  EXPECT_EQ(ask(1)->data(), memory);
  EXPECT_EQ(computed, 1);
  EXPECT_EQ(ask(2)->data(), memory);
  const auto held = ask(2);
  EXPECT_NE(ask(3)->data(), memory) << "which is held";
  EXPECT_EQ(*held, std::vector<int>(50, 2));
  EXPECT_EQ(*ask(1), std::vector<int>(50, 1));
  EXPECT_EQ(computed, 4);
}

TEST(Memo, KnowsNothingHalfFilled) {
  const Memo<int, std::vector<int>> memo;
  const auto fill = [](int key) { return [key](std::vector<int>& value) { value.assign(5, key); }; };
  EXPECT_EQ(*memo.at_in_place(1, fill(10)), std::vector<int>(5, 10));
  const auto broken = [](std::vector<int>& value) {
    value[0] = -1;
    throw 0;
  };
  EXPECT_THROW(memo.at_in_place(2, broken), int);
  EXPECT_EQ(*memo.at_in_place(1, fill(11)), std::vector<int>(5, 11));
  EXPECT_EQ(*memo.at_in_place(2, fill(12)), std::vector<int>(5, 12));
}

/// An argument that is not a key.
struct Length {
  std::size_t n;
  operator std::vector<int>() const { return std::vector<int>(n); }
  friend bool operator==(const std::vector<int>& key, const Length& asked) { return key.size() == asked.n; }
};

TEST(Memo, KeepsAKeyOfItsArgument) {
  const Memo<std::vector<int>, int> memo;
  int computed = 0;
  const auto ask = [&](std::size_t n) { return *memo.at(Length{n}, [&](int& x) { x = ++computed; }); };
  EXPECT_EQ(ask(3), 1);
  EXPECT_EQ(ask(3), 1);
  EXPECT_EQ(ask(4), 2);
  EXPECT_EQ(ask(3), 3);
}

TEST(Memo, ServesThreadsThatAskForDifferentValues) {
  const Memo<int, std::vector<int>> memo;
  std::atomic<int> wrong = 0;
  on_several_threads([&](int) {
    for (int i = 0; i < 2000; ++i) {
      const int key = i % 3;
      const auto fill = [&](std::vector<int>& x) { x.assign(50, key); };
      const auto value = i % 2 == 0 ? memo.at(key, fill) : memo.at_in_place(key, fill);
      for (const int x : *value) wrong += x != key;
    }
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace limber::test
