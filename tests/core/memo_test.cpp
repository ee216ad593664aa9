#include "limber/core/memo.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

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

TEST(Memo, ServesThreadsThatAskForDifferentValues) {
  const Memo<int, std::vector<int>> memo;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        const int key = i % 3;
        const auto value = memo.at(key, [&](std::vector<int>& x) { x.assign(50, key); });
        for (const int x : *value)
          if (x != key) ++wrong;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace limber::test
