#include "limber/linalg/solvers/stiff_block.hpp"

#include <algorithm>

#include "limber/core/parallel.hpp"

namespace limber {
namespace {

// In units of the median: from where a node is stiff, and until where it stays so, since a new S costs an analysis.
constexpr double stiff_from = 4, stiff_until = 2;
constexpr double minority = .3;  // of the nodes

/// A's rows ascend, and above the diagonal there is next to nothing.
double diagonal_entry(const SparseMatrix& A, int j) {
  const int *row = A.innerIndexPtr() + A.outerIndexPtr()[j], *end = A.innerIndexPtr() + A.outerIndexPtr()[j + 1];
  while (row != end && *row < j) ++row;
  return row != end && *row == j ? A.valuePtr()[row - A.innerIndexPtr()] : 0;
}

}  // namespace

void StiffBlock::choose(const SparseMatrix& A, int block) {
  const std::size_t nodes = static_cast<std::size_t>(A.cols() / block);
  size_.resize(nodes);
  in_pieces(
      nodes, 1024,
      [&](std::size_t i) {
        double sum = 0;
        for (int c = 0; c < block; ++c) sum += diagonal_entry(A, static_cast<int>(i) * block + c);
        size_[i] = sum;
      },
      10);
  sorted_ = size_;
  const auto middle = sorted_.begin() + static_cast<std::ptrdiff_t>(nodes / 2);
  std::nth_element(sorted_.begin(), middle, sorted_.end());
  if (chosen_.size() != nodes) chosen_.assign(nodes, 0);
  std::size_t count = 0;
  for (std::size_t i = 0; i < nodes; ++i) {
    chosen_[i] = size_[i] > (chosen_[i] ? stiff_until : stiff_from) * *middle ? 1 : 0;
    count += static_cast<std::size_t>(chosen_[i]);
  }
  rows_.clear();
  if (static_cast<double>(count) > minority * static_cast<double>(nodes)) return;
  for (std::size_t i = 0; i < nodes; ++i)
    if (chosen_[i])
      for (int c = 0; c < block; ++c) rows_.push_back(static_cast<int>(i) * block + c);
}

void StiffBlock::extract(const SparseMatrix& A) {
  place_.assign(static_cast<std::size_t>(A.cols()), -1);
  for (std::size_t k = 0; k < rows_.size(); ++k) place_[static_cast<std::size_t>(rows_[k])] = static_cast<int>(k);
  const Index n = static_cast<Index>(rows_.size());
  A_SS_.resize(n, n);
  for (Index k = 0; k < n; ++k) {
    A_SS_.startVec(k);
    for (SparseMatrix::InnerIterator e(A, rows_[static_cast<std::size_t>(k)]); e; ++e)
      if (const int i = place_[static_cast<std::size_t>(e.row())]; i >= k) A_SS_.insertBack(i, k) = e.value();
  }
  A_SS_.finalize();
}

SolveReport::Status StiffBlock::set(const SparseMatrix& A, int block) {
  choose(A, block);
  if (rows_.empty()) return SolveReport::Status::ok;
  extract(A);
  if (pattern_.take(A_SS_) == PatternChange::changed) {
    factor_ = make_best_factor(A_SS_, Symmetry::symmetric);
    factor_->analyze(A_SS_);
  }
  return factor_->factorize(A_SS_);
}

/// z_ = A_SS⁻¹ r on S.
void StiffBlock::solve(const Vector& r) {
  const Index n = static_cast<Index>(rows_.size());
  r_.resize(n);
  z_.resize(n);
  for (Index k = 0; k < n; ++k) r_[k] = r[rows_[static_cast<std::size_t>(k)]];
  factor_->solve(r_, z_);
}

double StiffBlock::apply(const Vector& r, Vector& z) {
  solve(r);
  double before = 0;
  for (Index k = 0; k < z_.size(); ++k) {
    double& to = z[rows_[static_cast<std::size_t>(k)]];
    before += r_[k] * to;
    to = z_[k];
  }
  return r_.dot(z_) - before;
}

double StiffBlock::add(const Vector& r, Vector& z) {
  solve(r);
  for (Index k = 0; k < z_.size(); ++k) z[rows_[static_cast<std::size_t>(k)]] += z_[k];
  return r_.dot(z_);
}

}  // namespace limber
