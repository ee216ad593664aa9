/// GridLevel's way to the next level.
#include <algorithm>
#include <cmath>

#include "limber/linalg/block_row.hpp"
#include "limber/linalg/solvers/grid_level.hpp"

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

/// P and the space of the next level; returns what of the near-null vectors that sees.
template <int B>
NearNull GridLevel::make_transfer_of(const Aggregates& parts, const NearNull& near_null,
                                     const std::vector<double>& inverse_exact, GridLevel& coarse) {
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
  add_up_rows_of_P(size, P_value);
  const double omega = 4. / 3 / top_;
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
  transpose_P(coarse.A.rows);
  prolonging_.resize(P_value.size() + read_beyond_blocks);
  for_block_rows(static_cast<int>(P_.column.size()), [&](int k) {
    const double* own = P_value.data() + ix(k) * size;
    for (int r = 0; r < B; ++r)
      for (int c = 0; c < aggregate_motions; ++c)
        prolonging_[ix(k) * size + ix(c * B + r)] = static_cast<float>(own[r * aggregate_motions + c]);
  });
  AP_ = gather_rows(A.rows, [&](int i, const auto& add) {
    for (int s = A.start[i]; s < A.start[i + 1]; ++s)
      for (int t = P_.start[ix(A.column[s])]; t < P_.start[ix(A.column[s]) + 1]; ++t) add(P_.column[ix(t)]);
  });
  return coarse_null;
}

/// What processes have of the rows of nodes that several hold.
void GridLevel::add_up_rows_of_P(int size, std::vector<double>& P_value) const {
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

void GridLevel::transpose_P(int columns) {
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

std::vector<int> GridLevel::parts_of_aggregates(const Aggregates& parts, const std::vector<int>& part,
                                                const GridLevel& coarse) const {
  // Who made an aggregate knows its part, and numbers it first among those that it answers for.
  std::vector<double> from_one(ix(coarse.A.rows), 0.0);
  const int before =
      space.shared()
          ? static_cast<int>(std::lower_bound(coarse.space.places().begin(), coarse.space.places().end(), parts.first) -
                             coarse.space.places().begin())
          : 0;
  for (std::size_t i = 0; i < part.size(); ++i)
    if (parts.alien.empty() || !parts.alien[i]) from_one[ix(before + parts.of[i] - parts.first)] = part[i] + 1;
  coarse.space.add_up(from_one.data(), 1);
  std::vector<int> found;
  for (const double p : from_one) found.push_back(static_cast<int>(p) - 1);
  return found;
}

void GridLevel::make_coarse_pattern(const NearNull& coarse_null, GridLevel& coarse) const {
  const int nodes = coarse.A.rows;
  coarse.block = aggregate_motions;
  coarse.rows_ = gather_rows(nodes, [&](int p, const auto& add) {
    for (int t = t_start_[ix(p)]; t < t_start_[ix(p) + 1]; ++t) {
      const int i = t_row_[ix(t)];
      for (int s = AP_.start[ix(i)]; s < AP_.start[ix(i) + 1]; ++s) add(AP_.column[ix(s)]);
    }
  });
  coarse.A = {aggregate_motions, nodes, coarse.rows_.start.data(), coarse.rows_.column.data(), nullptr};
  coarse.dead_.resize(ix(nodes) * aggregate_motions);
  for (int p = 0; p < nodes; ++p)
    for (int k = 0; k < aggregate_motions; ++k)
      coarse.dead_[ix(p) * aggregate_motions + ix(k)] =
          coarse_null.matrix()(static_cast<Index>(p) * aggregate_motions + k, k) == 0 ? 1 : 0;
}

/// Only blocks on and below the diagonal are computed. Rows of AP are made and used slab by slab: all of
/// them would take more memory than A.
template <int B>
void GridLevel::coarse_values_of(GridLevel& coarse) {
  constexpr int size = B * aggregate_motions, square = aggregate_motions * aggregate_motions;
  constexpr int slab_blocks = (1 << 20) / size;
  coarse.value_.assign(coarse.rows_.column.size() * square + read_beyond_blocks, 0.0);
  coarse.A.value = coarse.value_.data();
  std::vector<int> next(t_start_.begin(), t_start_.end() - 1);  // of each coarse row, what is not used yet
  std::vector<double> AP_value;
  for (int first = 0, last = 0; first < A.rows; first = last) {
    while (last < A.rows && (last == first || AP_.start[ix(last) + 1] - AP_.start[ix(first)] <= slab_blocks)) ++last;
    const int offset = AP_.start[ix(first)];
    AP_value.assign(ix(AP_.start[ix(last)] - offset) * size, 0.0);
    for_block_rows(last - first, [&](int row) {
      const int i = first + row, begin = AP_.start[ix(i)];
      for (int s = A.start[i]; s < A.start[i + 1]; ++s) {
        const int j = A.column[s];
        const double* a = A.value + ix(s) * B * B;
        int slot = begin;
        for (int t = P_.start[ix(j)]; t < P_.start[ix(j) + 1]; ++t) {
          while (AP_.column[ix(slot)] != P_.column[ix(t)]) ++slot;
          const float* p = prolonging_.data() + ix(t) * size;
          double* to = AP_value.data() + ix(slot - offset) * size;
          for (int c = 0; c < B; ++c) {
            double row_of_P[aggregate_motions];
            for (int k = 0; k < aggregate_motions; ++k) row_of_P[k] = p[k * B + c];
            for (int r = 0; r < B; ++r)
              for (int k = 0; k < aggregate_motions; ++k) to[r * aggregate_motions + k] += a[c * B + r] * row_of_P[k];
          }
        }
      }
    });
    if (P_.start[ix(first)] == P_.start[ix(last)]) continue;  // nothing that moves
    const auto [low, high] =
        std::minmax_element(P_.column.data() + P_.start[ix(first)], P_.column.data() + P_.start[ix(last)]);
    const int from = *low;
    parallel_for(*high + 1 - from, [&](Index index) {
      const int p = from + static_cast<int>(index), begin = coarse.rows_.start[ix(p)];
      int& t = next[ix(p)];
      for (; t < t_start_[ix(p) + 1] && t_row_[ix(t)] < last; ++t) {
        const int i = t_row_[ix(t)];
        const float* block_of_P = prolonging_.data() + ix(t_slot_[ix(t)]) * size;
        double left[size];
        for (int r = 0; r < B; ++r)
          for (int k = 0; k < aggregate_motions; ++k) left[r * aggregate_motions + k] = block_of_P[k * B + r];
        int slot = begin;
        for (int s = AP_.start[ix(i)]; s < AP_.start[ix(i) + 1] && AP_.column[ix(s)] <= p; ++s) {
          while (coarse.rows_.column[ix(slot)] != AP_.column[ix(s)]) ++slot;
          const double* right = AP_value.data() + ix(s - offset) * size;
          double* to = coarse.value_.data() + ix(slot) * square;
          for (int r = 0; r < B; ++r)
            for (int c = 0; c < aggregate_motions; ++c)
              for (int k = 0; k < aggregate_motions; ++k)
                to[c * aggregate_motions + k] += right[r * aggregate_motions + c] * left[r * aggregate_motions + k];
        }
      }
    });
  }
  parallel_for(coarse.A.rows, [&](Index index) {
    const int p = static_cast<int>(index);
    for (int s = coarse.rows_.start[ix(p)]; s < coarse.rows_.start[ix(p) + 1]; ++s) {
      const int q = coarse.rows_.column[ix(s)];
      double* to = coarse.value_.data() + ix(s) * square;
      if (q > p) {
        const double* from = coarse.value_.data() + ix(coarse.rows_.find(q, p)) * square;
        for (int c = 0; c < aggregate_motions; ++c)
          for (int k = 0; k < aggregate_motions; ++k) to[c * aggregate_motions + k] = from[k * aggregate_motions + c];
      } else if (q == p) {
        for (int k = 0; k < aggregate_motions; ++k)
          if (coarse.dead_[ix(p) * aggregate_motions + ix(k)])
            to[k * aggregate_motions + k] = coarse.space.owns(p) ? 1 : 0;
      }
    }
  });
}

SolveReport::Status GridLevel::make_coarse(const Aggregates& parts, NearNull& near_null, GridLevel& coarse) {
  {
    std::vector<double> inverse;
    if (const auto made = prepare_smoother(&inverse); made != SolveReport::Status::ok) return made;
    near_null = with_block([&](auto B) { return make_transfer_of<B>(parts, near_null, inverse, coarse); });
  }
  make_coarse_pattern(near_null, coarse);
  return SolveReport::Status::ok;
}
void GridLevel::coarse_values(GridLevel& coarse) {
  with_block([&](auto B) { coarse_values_of<B>(coarse); });
}

}  // namespace limber
