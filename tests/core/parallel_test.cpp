/// Loops over pieces of work: each piece once, with any number of threads, also within another loop; what one throws
/// arrives.

#include "limber/core/parallel.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace limber::test {
namespace {

TEST(ParallelFor, TakesEachPieceOnce) {
  for (const int n : {1, 2, 4}) {
    set_threads(n);
    for (const Index pieces : {0, 1, 2, 1000}) {
      std::vector<int> taken(static_cast<std::size_t>(pieces));
      parallel_for(pieces, [&](Index i) { ++taken[static_cast<std::size_t>(i)]; });
      EXPECT_EQ(taken, std::vector<int>(static_cast<std::size_t>(pieces), 1));
    }
  }
  set_threads(0);
}

TEST(ParallelFor, StaysOnItsThreadWhereItIsShort) {
  std::vector<std::thread::id> by(1000);
  parallel_for(
      1000, [&](Index i) { by[static_cast<std::size_t>(i)] = std::this_thread::get_id(); }, .5 * worth_threads / 1000);
  EXPECT_EQ(by, std::vector(1000, std::this_thread::get_id()));
}

TEST(ParallelFor, StandsWithinAnotherLoop) {
  std::vector<double> sums(100);
  parallel_for(100, [&](Index i) {
    sums[static_cast<std::size_t>(i)] = ordered_sum(50, [&](Index k) { return static_cast<double>(i * k); });
  });
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], 49 * 25 * static_cast<double>(i));
}

TEST(ParallelFor, ThrowsWhatAPieceThrows) {
  const auto run = [] {
    parallel_for(1000, [](Index i) {
      if (i % 100 == 7) throw std::runtime_error("mine");
    });
  };
  EXPECT_THROW(run(), std::runtime_error);
  EXPECT_EQ(ordered_sum(10, [](Index i) { return static_cast<double>(i); }), 45);  // and the next loop is not disturbed
}

}  // namespace
}  // namespace limber::test
