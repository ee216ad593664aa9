#include "limber/study/mode_families.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace limber {
namespace {

SparseMatrix identity(Index n) {
  SparseMatrix M(n, n);
  M.setIdentity();
  return M;
}

double lambda(double hertz) { return std::pow(2 * std::numbers::pi * hertz, 2); }

/// Two of three unit vectors, the lower frequency first.
Modes look(std::pair<int, double> first, std::pair<int, double> second) {
  Modes m{Vector(2), Matrix::Zero(3, 2)};
  m.lambda << lambda(first.second), lambda(second.second);
  m.X(first.first, 0) = 1;
  m.X(second.first, 1) = -1;  // signs do not matter
  return m;
}

TEST(ModeFamilies, FollowShapesThroughACrossing) {
  ModeFamilies families(2);
  families.add(0, look({0, 1.0}, {1, 2.0}), identity(3));
  families.add(1, look({0, 1.4}, {1, 1.6}), identity(3));
  families.add(2, look({1, 1.3}, {0, 1.8}), identity(3));
  EXPECT_EQ(families.crossings(), 1);
  EXPECT_EQ(families.losses(), 0);
  EXPECT_NEAR(families.frequencies(0).back(), 1.8, 1e-12);
  EXPECT_NEAR(families.frequencies(1).back(), 1.3, 1e-12);
}

TEST(ModeFamilies, CountModesThatLeave) {
  ModeFamilies families(2);
  families.add(0, look({0, 1.0}, {1, 2.0}), identity(3));
  families.add(1, look({0, 1.0}, {2, 1.9}), identity(3));
  EXPECT_EQ(families.losses(), 1);
  EXPECT_EQ(families.crossings(), 0);
}

TEST(ModeFamilies, TurningWithinAPairIsNoCrossing) {
  ModeFamilies families(2);
  families.add(0, look({0, 1.0}, {1, 1.001}), identity(3));
  families.add(1, look({1, 1.0}, {0, 1.001}), identity(3));
  EXPECT_EQ(families.crossings(), 0);
}

}  // namespace
}  // namespace limber
