#include "limber/model/block_pattern.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "limber/core/parallel.hpp"

namespace limber {
namespace {

constexpr int nodes = 70;  // more than one piece of columns

template <class Block>
void add(const BlockPattern& pattern, const std::vector<Block>& list, SparseMatrix& A) {
  std::vector<NodeMatrixView> views;
  for (const Block& m : list) views.push_back({m.nodes, m.A.data()});
  pattern.add(views, A.valuePtr());
}

struct SomeMatrices {
  std::vector<NodeMatrix> list;
  std::vector<std::pair<int, int>> pairs;
  Matrix sum = Matrix::Zero(3 * nodes, 3 * nodes);  // entry by entry

  SomeMatrices() {
    std::mt19937 random(5);
    std::uniform_int_distribution<int> node(-1, nodes - 1);
    for (int k = 0; k < 400; ++k) {
      NodeMatrix m;
      m.A = Mat12::NullaryExpr([&] { return std::uniform_real_distribution<double>(-1, 1)(random); });
      for (int& i : m.nodes) i = node(random);  // some are missing, some twice
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j) {
          const int a = m.nodes[i], b = m.nodes[j];
          if (a < 0 || b < 0) continue;
          pairs.emplace_back(a, b);
          sum.block<3, 3>(3 * a, 3 * b) += m.A.block<3, 3>(3 * static_cast<Index>(i), 3 * static_cast<Index>(j));
        }
      list.push_back(m);
    }
  }
};

TEST(BlockPattern, AddsMatricesOfNodesToTheirBlocks) {
  const SomeMatrices some;
  const BlockPattern pattern(nodes, some.pairs, Storage::full);
  SparseMatrix A = pattern.zero();
  add(pattern, some.list, A);
  EXPECT_LE((Matrix(A) - some.sum).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(BlockPattern, AddsLargeMatricesAsTheirParts) {
  const SomeMatrices some;
  std::vector<LargeNodeMatrix> large;  // each of two of the others, side by side
  for (std::size_t k = 0; k < some.list.size(); k += 2) {
    LargeNodeMatrix m;
    m.resize(8);
    m.A.setZero();
    for (std::size_t i = 0; i < 8; ++i) m.nodes[i] = some.list[k + i / 4].nodes[i % 4];
    for (std::size_t half : {0, 1})
      m.A.block<12, 12>(12 * static_cast<Index>(half), 12 * static_cast<Index>(half)) = some.list[k + half].A;
    large.push_back(std::move(m));
  }
  std::vector<std::pair<int, int>> all;
  for (int a = 0; a < nodes; ++a)
    for (int b = 0; b < a; ++b) all.emplace_back(a, b);
  const BlockPattern pattern(nodes, all, Storage::full);
  SparseMatrix A = pattern.zero();
  add(pattern, large, A);
  EXPECT_LE((Matrix(A) - some.sum).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(BlockPattern, LowerStorageDropsWhatLiesAboveTheDiagonal) {
  const SomeMatrices some;
  const BlockPattern pattern(nodes, some.pairs, Storage::lower);
  SparseMatrix A = pattern.zero();
  add(pattern, some.list, A);
  const Matrix dense(A);
  for (int a = 0; a < nodes; ++a)
    for (int b = 0; b < nodes; ++b) {
      const Matrix block = dense.block<3, 3>(3 * a, 3 * b);
      if (a < b)
        EXPECT_TRUE(block.isZero(0));
      else
        EXPECT_LE((block - some.sum.block<3, 3>(3 * a, 3 * b)).norm(), 1e-13) << a << ", " << b;
    }
}

TEST(BlockPattern, SumsHaveTheSameBitsForAnyNumberOfThreads) {
  const SomeMatrices some;
  const BlockPattern pattern(nodes, some.pairs, Storage::full);
  SparseMatrix one = pattern.zero(), many = pattern.zero(), single = pattern.zero();
  const int before = threads();
  set_threads(1);
  add(pattern, some.list, one);
  set_threads(4);
  add(pattern, some.list, many);
  set_threads(before);
  for (const NodeMatrix& m : some.list)  // block by block
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t i = 0; i < 4; ++i)
        if (m.nodes[i] >= 0 && m.nodes[j] >= 0)
          pattern.add(m.nodes[i], m.nodes[j], m.A.block<3, 3>(3 * static_cast<Index>(i), 3 * static_cast<Index>(j)),
                      single.valuePtr());
  EXPECT_EQ(Matrix(one), Matrix(many));
  EXPECT_EQ(Matrix(one), Matrix(single));
}

TEST(BlockPattern, AnUndeclaredBlockIsAnError) {
  const BlockPattern pattern(nodes, {{3, 1}}, Storage::lower);
  SparseMatrix A = pattern.zero();
  NodeMatrix m{{1, 3, -1, -1}, Mat12::Ones()};
  EXPECT_NO_THROW(add(pattern, std::vector{m}, A));
  m.nodes[2] = 50;
  EXPECT_THROW(add(pattern, std::vector{m}, A), std::logic_error);
  EXPECT_THROW(pattern.add(4, 2, Mat3::Ones(), A.valuePtr()), std::logic_error);
}

}  // namespace
}  // namespace limber
