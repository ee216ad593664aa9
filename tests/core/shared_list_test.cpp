#include "limber/core/shared_list.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "limber/core/held_list.hpp"
#include "support/several_threads.hpp"

namespace limber::test {
namespace {

TEST(Guarded, IsSeenByOneThreadAtATime) {
  const Guarded<long> sum(5);
  on_several_threads([&](int) {
    for (int i = 0; i < 20000; ++i) sum.with([](long& s) { s = s + 1; });
  });
  EXPECT_EQ(sum.copy(), 5 + 20000 * several);
  EXPECT_EQ(sum.set(-1), 5 + 20000 * several);
  EXPECT_EQ(sum.copy(), -1);
}

TEST(Guarded, IsLeftByWhatThrows) {
  const Guarded<int> value(1);
  EXPECT_THROW(value.with([](int& x) {
    x = 2;
    throw 0;
  }),
               int);
  EXPECT_EQ(value.copy(), 2) << "and nobody waits for ever";
}

TEST(SharedList, LendsWhatHasComeBackAsItWasLeft) {
  SharedList<std::vector<int>> list;
  auto one = list.borrow();
  EXPECT_TRUE(one->empty());
  one->assign(100, 7);
  const int* memory = one->data();
  auto other = list.borrow();
  EXPECT_TRUE(other->empty()) << "the first is still out";
  one.reset();
  EXPECT_EQ(list.borrow()->data(), memory);
  EXPECT_EQ(list.borrow()->size(), 100u);
  list.clear();
  EXPECT_TRUE(list.borrow()->empty());
}

TEST(SharedList, MakesWhatItIsToldOnlyWhereNoneIsFree) {
  const SharedList<int> list;
  int made = 0;
  const auto make = [&] { return std::make_unique<int>(10 + made++); };
  const auto a = list.borrow(make);
  EXPECT_EQ(*a, 10);
  EXPECT_EQ(*list.borrow(make), 11);
  EXPECT_EQ(*list.borrow(make), 11);
  EXPECT_EQ(made, 2);
  const auto b = list.borrow(make);
  EXPECT_THROW(list.borrow([]() -> std::unique_ptr<int> { throw 0; }), int);
}

TEST(SharedList, MayBeOutlivedByWhatItLends) {
  std::shared_ptr<int> left;
  {
    const SharedList<int> list;
    left = list.borrow([] { return std::make_unique<int>(3); });
  }
  EXPECT_EQ(*left, 3);
}

TEST(SharedList, GivesNothingToTwoThreads) {
  const SharedList<std::vector<int>> list;
  std::atomic<int> wrong = 0, made = 0;
  on_several_threads([&](int t) {
    for (int i = 0; i < 3000; ++i) {
      const auto own = list.borrow([&] {
        ++made;
        return std::make_unique<std::vector<int>>(40);
      });
      std::iota(own->begin(), own->end(), 1000 * t + i);
      for (int k = 0; k < 40; ++k) wrong += (*own)[static_cast<std::size_t>(k)] != 1000 * t + i + k;
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(made, several);
}

TEST(HeldList, KeepsWhatItIsAPartOf) {
  struct Whole {
    std::vector<int> some{1, 2, 3};
  };
  auto whole = std::make_shared<const Whole>();
  const HeldList<int> list({whole, &whole->some});
  const std::weak_ptr<const Whole> watched = whole;
  whole.reset();
  ASSERT_FALSE(watched.expired());
  EXPECT_EQ(std::accumulate(list.begin(), list.end(), 0), 6);
  EXPECT_EQ(list.size(), 3u);
  EXPECT_EQ(list[2], 3);
}

}  // namespace
}  // namespace limber::test
