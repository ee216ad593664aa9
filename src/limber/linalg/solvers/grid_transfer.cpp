#include "limber/linalg/solvers/grid_transfer.hpp"

#include <algorithm>
#include <cmath>

#include "limber/linalg/block_row.hpp"

namespace limber {
namespace {

using Motions = Eigen::Matrix<double, aggregate_motions, aggregate_motions>;

/// Q R = B by Gram and Schmidt, twice; columns that depend on earlier ones become zero.
void orthonormalize(Eigen::Ref<Matrix> Q, Motions& R) {
  R.setZero();
  for (int c = 0; c < aggregate_motions; ++c) {
    const double whole = Q.col(c).norm();
    for (int pass = 0; pass < 2; ++pass)
      for (int b = 0; b < c; ++b) {
        const double part = Q.col(b).dot(Q.col(c));
        R(b, c) += part;
        Q.col(c) -= part * Q.col(b);
      }
    const double left = Q.col(c).norm();
    constexpr double independent = 1e-7;
    if (left > independent * whole) {
      R(c, c) = left;
      Q.col(c) /= left;
    } else {
      Q.col(c).setZero();
    }
  }
}

}  // namespace

template <int B>
NearNull GridTransfer::make_of(const GridMatrix& fine, const Aggregates& parts, const NearNull& near_null,
                               const std::vector<double>& inverse_exact, double top, GridMatrix& coarse) {
  const BlockRows& A = fine.A;
  const Space& space = fine.space;
  constexpr int size = B * aggregate_motions;
  const auto gathered_here = [&](int i) { return parts.alien.empty() || !parts.alien[ix(i)]; };
  const auto own = [&](int i) { return ix(parts.of[ix(i)] - parts.first); };
  std::vector<int> first(ix(parts.own) + 1, 0), node(ix(A.rows));
  for (int i = 0; i < A.rows; ++i)
    if (gathered_here(i)) ++first[own(i) + 1];
  for (int p = 0; p < parts.own; ++p) first[ix(p) + 1] += first[ix(p)];
  std::vector<int> next(first.begin(), first.end() - 1);
  for (int i = 0; i < A.rows; ++i)
    if (gathered_here(i)) node[ix(next[own(i)]++)] = i;

  auto found = collect_rows(A.rows, [&](int i, const auto& add) {
    add(parts.of[ix(i)]);
    for (int s = A.start[i]; s < A.start[i + 1]; ++s) add(parts.of[ix(A.column[s])]);
  });
  // Of the aggregates that all processes number, those held here.
  std::vector<int> place(ix(parts.own));
  std::vector<int> column = parts.of;
  if (space.shared()) {
    std::vector<std::vector<int>> several;
    for (const int i : space.held_by_several()) several.push_back(found[ix(i)]);
    space.unite(several);
    for (std::size_t k = 0; k < several.size(); ++k) found[ix(space.held_by_several()[k])] = several[k];
    std::vector<int> held;
    for (const auto& row : found) held.insert(held.end(), row.begin(), row.end());
    std::sort(held.begin(), held.end());
    held.erase(std::unique(held.begin(), held.end()), held.end());
    const auto here = [&](int number) {
      return static_cast<int>(std::lower_bound(held.begin(), held.end(), number) - held.begin());
    };
    for (auto& row : found)
      for (int& number : row) number = here(number);
    for (int& number : column) number = here(number);
    for (int p = 0; p < parts.own; ++p) place[ix(p)] = here(parts.first + p);
    coarse.space = Space::numbered(space.processes(), held, parts.own);
    coarse.A.rows = static_cast<int>(held.size());
  } else {
    for (int p = 0; p < parts.own; ++p) place[ix(p)] = p;
    coarse.A.rows = parts.own;
  }
  P_ = packed(found);
  found = std::vector<std::vector<int>>();

  std::vector<double> P0(ix(A.rows) * size, 0.0);
  NearNull coarse_null(static_cast<Index>(coarse.A.rows) * aggregate_motions);
  parallel_for(parts.own, [&](Index p) {
    const int begin = first[static_cast<std::size_t>(p)], end = first[static_cast<std::size_t>(p) + 1];
    Matrix Q(static_cast<Index>(B) * (end - begin), aggregate_motions);
    for (int k = begin; k < end; ++k)
      Q.middleRows<B>(static_cast<Index>(B) * (k - begin)) =
          near_null.matrix().middleRows<B>(static_cast<Index>(B) * node[ix(k)]);
    Motions R;
    orthonormalize(Q, R);
    coarse_null.matrix().middleRows<aggregate_motions>(static_cast<Index>(aggregate_motions) *
                                                       place[static_cast<std::size_t>(p)]) = R;
    for (int k = begin; k < end; ++k)
      for (int r = 0; r < B; ++r)
        for (int c = 0; c < aggregate_motions; ++c)
          P0[(ix(node[ix(k)]) * B + ix(r)) * aggregate_motions + ix(c)] = Q(static_cast<Index>(B) * (k - begin) + r, c);
  });
  space.add_up(P0.data(), size);
  for (Index c = 0; c < aggregate_motions; ++c)
    coarse.space.add_up(coarse_null.matrix().col(c).data(), aggregate_motions);

  std::vector<double> P_value(P_.column.size() * size, 0.0);
  for_block_rows(A.rows, [&](int i) {
    for (int s = A.start[i]; s < A.start[i + 1]; ++s) {
      const int j = A.column[s];
      const double *a = A.value + ix(s) * B * B, *p = P0.data() + ix(j) * size;
      double* to = P_value.data() + ix(P_.find(i, column[ix(j)])) * size;
      for (int c = 0; c < B; ++c)
        for (int r = 0; r < B; ++r)
          for (int k = 0; k < aggregate_motions; ++k)
            to[r * aggregate_motions + k] += a[c * B + r] * p[c * aggregate_motions + k];
    }
  });
  add_up_rows(space, size, P_value);
  const double omega = 4. / 3 / top;
  for_block_rows(A.rows, [&](int i) {
    const double* D = inverse_exact.data() + ix(i) * B * B;
    for (int s = P_.start[ix(i)]; s < P_.start[ix(i) + 1]; ++s) {
      double* to = P_value.data() + ix(s) * size;
      double scaled[size] = {};
      for (int c = 0; c < B; ++c)
        for (int r = 0; r < B; ++r)
          for (int k = 0; k < aggregate_motions; ++k)
            scaled[r * aggregate_motions + k] -= omega * D[c * B + r] * to[c * aggregate_motions + k];
      const double* tentative = P0.data() + ix(i) * size;
      const bool mine = P_.column[ix(s)] == column[ix(i)];
      for (int e = 0; e < size; ++e) to[e] = scaled[e] + (mine ? tentative[e] : 0);
    }
  });
  transpose_pattern(coarse.A.rows);
  prolonging_.resize(P_value.size() + read_beyond_blocks);
  for_block_rows(static_cast<int>(P_.column.size()), [&](int k) {
    const double* own = P_value.data() + ix(k) * size;
    for (int r = 0; r < B; ++r)
      for (int c = 0; c < aggregate_motions; ++c)
        prolonging_[ix(k) * size + ix(c * B + r)] = static_cast<float>(own[r * aggregate_motions + c]);
  });
  return coarse_null;
}

/// What processes have of the rows of nodes that several hold.
void GridTransfer::add_up_rows(const Space& space, int size, std::vector<double>& P_value) const {
  if (!space.shared()) return;
  std::vector<int> start{0};
  std::vector<double> values;
  const auto of = [&](int row) { return P_value.data() + ix(row) * ix(size); };
  for (const int i : space.held_by_several()) {
    values.insert(values.end(), of(P_.start[ix(i)]), of(P_.start[ix(i) + 1]));
    start.push_back(static_cast<int>(values.size()));
  }
  space.add_up_held(values.data(), start);
  const double* from = values.data();
  for (const int i : space.held_by_several()) {
    double *to = of(P_.start[ix(i)]), *end = of(P_.start[ix(i) + 1]);
    std::copy_n(from, end - to, to);
    from += end - to;
  }
}

void GridTransfer::transpose_pattern(int columns) {
  t_start_.assign(ix(columns) + 1, 0);
  for (const int p : P_.column) ++t_start_[ix(p) + 1];
  for (int p = 0; p < columns; ++p) t_start_[ix(p) + 1] += t_start_[ix(p)];
  std::vector<int> next(t_start_.begin(), t_start_.end() - 1);
  t_row_.resize(P_.column.size());
  t_slot_.resize(P_.column.size());
  for (int i = 0; i + 1 < static_cast<int>(P_.start.size()); ++i)
    for (int s = P_.start[ix(i)]; s < P_.start[ix(i) + 1]; ++s) {
      const std::size_t to = ix(next[ix(P_.column[ix(s)])]++);
      t_row_[to] = i;
      t_slot_[to] = s;
    }
}

template <int B>
void GridTransfer::transpose_of() {
  constexpr int size = B * aggregate_motions;
  restricting_.resize(prolonging_.size());
  for_block_rows(static_cast<int>(t_slot_.size()), [&](int k) {
    const float* from = prolonging_.data() + ix(t_slot_[ix(k)]) * size;
    for (int r = 0; r < B; ++r)
      for (int c = 0; c < aggregate_motions; ++c)
        restricting_[ix(k) * size + ix(r * aggregate_motions + c)] = from[c * B + r];
  });
}

template <int B>
void GridTransfer::restrict_of(const std::vector<float>& from, int rows, float* to) const {
  for_block_rows(rows, [&](int p) {
    const int begin = t_start_[ix(p)], end = t_start_[ix(p) + 1];
    multiply_block_row<aggregate_motions, B>(restricting_.data() + ix(begin) * B * aggregate_motions,
                                             t_row_.data() + begin, end - begin, from.data(),
                                             to + ix(p) * aggregate_motions);
  });
}

template <int B>
void GridTransfer::prolong_of(const std::vector<float>& from, std::vector<float>& to) const {
  for_block_rows(static_cast<int>(P_.start.size()) - 1, [&](int i) {
    const int begin = P_.start[ix(i)], end = P_.start[ix(i) + 1];
    float y[B];
    multiply_block_row<B, aggregate_motions>(prolonging_.data() + ix(begin) * B * aggregate_motions,
                                             P_.column.data() + begin, end - begin, from.data(), y);
    for (int k = 0; k < B; ++k) to[ix(i) * B + ix(k)] += y[k];
  });
}

NearNull GridTransfer::make(const GridMatrix& fine, const Aggregates& parts, const NearNull& near_null,
                            const std::vector<double>& inverse_exact, double top, GridMatrix& coarse) {
  return with_block(fine.A.block,
                    [&](auto B) { return make_of<B>(fine, parts, near_null, inverse_exact, top, coarse); });
}
void GridTransfer::transpose(int block) {
  with_block(block, [&](auto B) { transpose_of<B>(); });
}
void GridTransfer::restrict(int block, const std::vector<float>& from, const GridMatrix& coarse,
                            std::vector<float>& to) const {
  with_block(block, [&](auto B) { restrict_of<B>(from, coarse.A.rows, to.data()); });
  coarse.space.add_up(to.data(), aggregate_motions);
}
void GridTransfer::prolong(int block, const std::vector<float>& from, std::vector<float>& to) const {
  with_block(block, [&](auto B) { prolong_of<B>(from, to); });
}

}  // namespace limber
