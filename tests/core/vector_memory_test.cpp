/// The memory of a long vector serves the next one of its length.

#include <gtest/gtest.h>

#include "limber/core/types.hpp"

namespace limber::test {
namespace {

const double* dropped(Index n) {
  const Vector x = Vector::Ones(n);
  return x.data();
}

TEST(VectorMemory, IsKeptForTheNextOfItsLength) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "freed memory is not used again, so that its use is found";
#endif
  constexpr Index n = 54321;
  const double* before = dropped(n);
  EXPECT_EQ(dropped(n), before);
  const Vector x(n), y(n), shorter(n - 1);
  EXPECT_EQ(x.data(), before);
  EXPECT_NE(y.data(), before);
  EXPECT_NE(shorter.data(), before);
}

TEST(VectorMemory, IsAlignedAndNotShared) {
  std::vector<Vector> many;
  for (int round = 0; round < 3; ++round) {
    for (int k = 0; k < 100; ++k) many.push_back(Vector::Constant(2000 + k % 3, k));
    for (int k = 0; k < 100; ++k) {
      EXPECT_EQ(reinterpret_cast<std::size_t>(many[static_cast<std::size_t>(k)].data()) % 64, 0u);
      EXPECT_TRUE((many[static_cast<std::size_t>(k)].array() == k).all());
    }
    many.clear();
  }
}

TEST(VectorMemory, GrowsWithTheVector) {
  Vector x = Vector::Ones(2000);
  x.conservativeResize(5000);
  x.tail(3000).setConstant(2);
  EXPECT_EQ(x.sum(), 8000);
  x.resize(0);
  EXPECT_EQ(x.data(), nullptr);
}

}  // namespace
}  // namespace limber::test
