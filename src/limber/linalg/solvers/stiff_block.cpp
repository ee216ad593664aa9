#include "limber/linalg/solvers/stiff_block.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "limber/core/parallel.hpp"
#include "limber/linalg/gathered.hpp"

namespace limber {
namespace {

// Largest entry beside the diagonal block, in units of the usual trace: from where a node is stiff, and until where it
// stays so, since a new S costs an analysis. Those of a body of one material are below.
constexpr double stiff_from = .7, stiff_until = .35;
constexpr double minority = .3;  // of the nodes

void raise(double& to, double value) {
  std::atomic_ref<double> now(to);
  double last = now.load(std::memory_order_relaxed);
  while (last < value && !now.compare_exchange_weak(last, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

/// The trace of each diagonal block and the largest entry below it: all that is read of a matrix without stiff nodes.
void StiffBlock::measure(const SparseMatrix& A, int block) {
  const int *start = A.outerIndexPtr(), *rows = A.innerIndexPtr();
  const std::size_t nodes = static_cast<std::size_t>(A.cols() / block);
  entries_.trace.resize(nodes);
  entries_.below.resize(nodes);
  in_pieces(
      nodes, 1024,
      [&](std::size_t i) {
        const int first = static_cast<int>(i) * block, end = first + block;
        double trace = 0, largest = 0;
        for (int j = first; j < end; ++j) {
          int k = start[j];
          for (; k < start[j + 1] && rows[k] < end; ++k)
            if (rows[k] == j) trace += A.valuePtr()[k];
          if (k < start[j + 1])
            largest = std::max(largest,
                               Eigen::Map<const Vector>(A.valuePtr() + k, start[j + 1] - k).lpNorm<Eigen::Infinity>());
        }
        entries_.trace[i] = trace;
        entries_.below[i] = largest;
      },
      100);
  space_.add_up(entries_.trace.data(), 1);
}

/// Of the traces; on several processes the mean of theirs, which tells as much.
double StiffBlock::median_trace() {
  std::size_t own = 0;
  for (std::size_t i = 0; i < entries_.trace.size(); ++i)
    if (space_.owns(static_cast<Index>(i))) entries_.trace[own++] = entries_.trace[i];
  const auto first = entries_.trace.begin(), middle = first + static_cast<std::ptrdiff_t>(own / 2);
  std::nth_element(first, middle, first + static_cast<std::ptrdiff_t>(own));
  if (!space_.shared()) return own == 0 ? 0 : *middle;
  const double weight = static_cast<double>(own);
  return space_.sum(own == 0 ? 0 : weight * *middle) / space_.sum(weight);
}

/// Of each node its largest entry beside the diagonal block, where that is above `least`: a large diagonal block alone
/// is inverted as it is.
void StiffBlock::find_couplings(const SparseMatrix& A, int block, double least) {
  const int *start = A.outerIndexPtr(), *rows = A.innerIndexPtr();
  entries_.coupling.assign(entries_.below.size(), 0);
  in_pieces(
      entries_.coupling.size(), 1024,
      [&](std::size_t i) {
        if (entries_.below[i] <= least) return;
        const int first = static_cast<int>(i) * block, end = first + block;
        for (int k = start[first]; k < start[end]; ++k)
          if (const double entry = std::abs(A.valuePtr()[k]); entry > least && rows[k] >= end) {
            raise(entries_.coupling[i], entry);
            raise(entries_.coupling[static_cast<std::size_t>(rows[k] / block)], entry);
          }
      },
      10);
  space_.add_up(entries_.coupling.data(), 1);
}

void StiffBlock::choose(const SparseMatrix& A, int block) {
  measure(A, block);
  const std::size_t nodes = entries_.below.size();
  const double usual = median_trace(), least = stiff_until * usual;
  rows_.clear();
  unknowns_ = 0;
  if (space_.all(
          std::all_of(entries_.below.begin(), entries_.below.end(), [&](double entry) { return entry <= least; }))) {
    chosen_.assign(nodes, 0);
    return;
  }
  find_couplings(A, block, least);
  if (chosen_.size() != nodes) chosen_.assign(nodes, 0);
  std::size_t count = 0;
  for (std::size_t i = 0; i < nodes; ++i) {
    chosen_[i] = entries_.coupling[i] > (chosen_[i] ? stiff_until : stiff_from) * usual ? 1 : 0;
    if (chosen_[i] && space_.owns(static_cast<Index>(i))) ++count;
  }
  const double stiff = space_.sum(static_cast<double>(count));
  if (stiff > minority * static_cast<double>(space_.global_size(A.cols())) / block) return;
  unknowns_ = block * static_cast<Index>(stiff);
  for (std::size_t i = 0; i < nodes; ++i)
    if (chosen_[i])
      for (int c = 0; c < block; ++c) rows_.push_back(static_cast<int>(i) * block + c);
}

void StiffBlock::extract(const SparseMatrix& A) {
  place_.assign(static_cast<std::size_t>(A.cols()), -1);
  if (space_.shared()) return gather(A);
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

/// The whole A_SS, numbered by the processes that answer for its nodes.
void StiffBlock::gather(const SparseMatrix& A) {
  int own = 0;
  for (std::size_t k = 0; k < rows_.size(); k += 3)
    if (space_.owns(rows_[k] / 3)) ++own;
  double next = space_.processes().exclusive_sum(own) + 1;
  std::vector<double> number(static_cast<std::size_t>(A.cols() / 3), 0.0);  // from 1 on
  for (std::size_t k = 0; k < rows_.size(); k += 3)
    if (space_.owns(rows_[k] / 3)) number[static_cast<std::size_t>(rows_[k] / 3)] = next++;
  space_.add_up(number.data(), 1);
  for (const int row : rows_)
    place_[static_cast<std::size_t>(row)] =
        3 * (static_cast<int>(number[static_cast<std::size_t>(row / 3)]) - 1) + row % 3;
  std::vector<Entry> entries;
  for (const int row : rows_)
    for (SparseMatrix::InnerIterator e(A, row); e; ++e)
      if (const int i = place_[static_cast<std::size_t>(e.row())]; i >= 0 && e.row() >= row)
        entries.push_back(lower_entry(i, place_[static_cast<std::size_t>(row)], e.value()));
  A_SS_ = gather_entries(space_.processes(), unknowns_, entries);
}

SolveReport::Status StiffBlock::set(const SparseMatrix& A, int block) {
  choose(A, block);
  if (empty()) return SolveReport::Status::ok;
  extract(A);
  if (pattern_.take(A_SS_) == PatternChange::changed) {
    factor_ = make_best_factor(A_SS_, Symmetry::symmetric);
    factor_->analyze(A_SS_);
  }
  return factor_->factorize(A_SS_);
}

/// z_ = A_SS⁻¹ r on S.
void StiffBlock::solve(const Vector& r) {
  r_.setZero(unknowns_);
  z_.resize(unknowns_);
  for (const int row : rows_)
    if (space_.owns(row / 3)) r_[place_[static_cast<std::size_t>(row)]] = r[row];
  if (space_.shared()) space_.processes().sum({r_.data(), static_cast<std::size_t>(r_.size())});
  factor_->solve(r_, z_);
}

double StiffBlock::apply(const Vector& r, Vector& z) {
  solve(r);
  double before = 0;
  for (const int row : rows_) {
    const double found = z_[place_[static_cast<std::size_t>(row)]];
    if (space_.owns(row / 3)) before += r[row] * z[row];
    z[row] = found;
  }
  return r_.dot(z_) - space_.sum(before);
}

double StiffBlock::add(const Vector& r, Vector& z) {
  solve(r);
  for (const int row : rows_) z[row] += z_[place_[static_cast<std::size_t>(row)]];
  return r_.dot(z_);
}

}  // namespace limber
