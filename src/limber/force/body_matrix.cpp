#include "limber/force/body_matrix.hpp"

#include <algorithm>
#include <limits>

#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"
#include "limber/linalg/blocks.hpp"

namespace limber {

BodyPattern::BodyPattern(std::vector<std::pair<int, int>> couplings, Index nodes) : couplings_(std::move(couplings)) {
  for (auto& [a, b] : couplings_)
    if (a > b) std::swap(a, b);
  std::sort(couplings_.begin(), couplings_.end());
  couplings_.erase(std::unique(couplings_.begin(), couplings_.end()), couplings_.end());

  first_node_ = couplings_.empty() ? 0 : std::numeric_limits<int>::max();
  int end = 0;
  for (const auto& [a, b] : couplings_) {
    first_node_ = std::min(first_node_, a);
    end = std::max(end, b + 1);
  }
  eigen_assert(end <= nodes);
  index_.assign(static_cast<std::size_t>(nodes), -1);
  for (int i = first_node_; i < end; ++i) index_[ix(i)] = i - first_node_;
  auto pairs = couplings_;
  for (auto& [a, b] : pairs) {
    a -= first_node_;
    b -= first_node_;
  }
  pattern_ = BlockPattern(end - first_node_, pairs, Storage::full);
}

void BodyPattern::add_mass(std::span<const NodalMass> masses, double scale, SparseMatrix& A) const {
  const auto add = [&](int a, int b, double m) {
    const auto slot = pattern_.slot(a, b);
    for (int c = 0; c < 3; ++c) A.valuePtr()[slot.at(c, c)] += scale * m;
  };
  for (const NodalMass& m : masses) {
    const int a = m.a - first_node_, b = m.b - first_node_;
    add(a, b, m.m);
    if (a != b) add(b, a, m.m);
  }
}

/// A is symmetric and whole, so that a column serves as a row: each entry of y is one sum, whatever the number of
/// threads.
void BodyPattern::subtract_product(const SparseMatrix& A, const Vector& x, Vector& y) const {
  constexpr Index chunk = 1024;
  const int *start = A.outerIndexPtr(), *row = A.innerIndexPtr();
  const double *value = A.valuePtr(), *x0 = x.data() + first();
  parallel_for((A.cols() + chunk - 1) / chunk, [&](Index piece) {
    for (Index j = piece * chunk; j < std::min((piece + 1) * chunk, A.cols()); ++j) {
      double sum = 0;
      for (int p = start[j]; p < start[j + 1]; ++p) sum += value[p] * x0[row[p]];
      y[first() + j] -= sum;
    }
  });
}

BoundBlocks::BoundBlocks(const BodyPattern& body, const BlockPattern& pattern, std::span<const int> free_index)
    : pattern_(&pattern) {
  Index first = std::numeric_limits<Index>::max(), end = 0;
  each_block(body.zero(), [&](int a, int b, int at, int stride) {
    const int fa = free_index[ix(a + body.first_node())], fb = free_index[ix(b + body.first_node())];
    if (fa < 0 || fb < 0 || (pattern.storage() == Storage::lower && fa < fb)) return;
    const auto to = pattern.slot(fa, fb);
    eigen_assert(to.first >= 0);
    copies_.push_back({{at, stride}, to});
    first = std::min<Index>(first, to.first);
    end = std::max<Index>(end, to.at(2, 2) + 1);
  });
  first_ = copies_.empty() ? 0 : first;
  count_ = end - first_;
}

void BoundBlocks::add(const SparseMatrix& A, double scale, double* values) const {
  const double* from = A.valuePtr();
  for (const Copy& copy : copies_)
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) values[copy.to.at(r, c)] += scale * from[copy.from.at(r, c)];
}

Vector BoundBlocks::entries(const SparseMatrix& A) const {
  Vector all = Vector::Zero(count_);
  for (const Copy& copy : copies_)
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) all[copy.to.at(r, c) - first_] = A.valuePtr()[copy.from.at(r, c)];
  return all;
}

}  // namespace limber
