#include "limber/linalg/solvers/incomplete_lu.hpp"

#include <Eigen/LU>
#include <algorithm>

#include "limber/core/nodes.hpp"
#include "limber/linalg/chunks.hpp"

namespace limber {
namespace {

template <int B>
using Block = Eigen::Matrix<double, B, B>;
template <int B>
using BlockMap = Eigen::Map<Block<B>>;
template <int B>
using Part = Eigen::Map<Eigen::Matrix<double, B, 1>>;

/// Of what elimination has made of a diagonal block; the identity where it has left none.
template <int B>
Block<B> inverse(const Block<B>& D) {
  double det = 0;
  bool invertible = false;
  Block<B> inv;
  D.computeInverseAndDetWithCheck(inv, det, invertible, 0.);
  return invertible && inv.allFinite() ? inv : Block<B>::Identity().eval();
}

template <class Body>
void for_pieces_of(int rows, int rows_a_piece, const Body& body) {
  parallel_for((rows + rows_a_piece - 1) / rows_a_piece,
               [&](Index p) {
                 const int first = static_cast<int>(p) * rows_a_piece;
                 body(first, std::min(rows, first + rows_a_piece));
               },
               1e5);
}

}  // namespace

/// Those within each piece; a diagonal block that A lacks is added.
void IncompleteLu::take_pattern(const BlockRows& A) {
  block_ = A.block;
  start_.assign(1, 0);
  column_.clear();
  diagonal_.clear();
  for (int i = 0; i < A.rows; ++i) {
    const int first = i / rows_a_piece * rows_a_piece;
    const int *begin = A.column + A.start[i], *end = A.column + A.start[i + 1];
    begin = std::lower_bound(begin, end, first);
    end = std::lower_bound(begin, end, first + rows_a_piece);
    const int* middle = std::lower_bound(begin, end, i);
    column_.insert(column_.end(), begin, middle);
    diagonal_.push_back(static_cast<int>(column_.size()));
    column_.push_back(i);
    column_.insert(column_.end(), middle != end && *middle == i ? middle + 1 : middle, end);
    start_.push_back(static_cast<int>(column_.size()));
  }
}

void IncompleteLu::take(const RowMatrix& matrix) {
  const BlockRows A = matrix.block_rows();
  take_pattern(A);
  const auto size = static_cast<std::size_t>(block_) * static_cast<std::size_t>(block_);
  value_.assign(size * column_.size(), 0.0);
  for_pieces_of(A.rows, rows_a_piece, [&](int first, int last) {
    for (int i = first; i < last; ++i)
      for (int s = A.start[i], t = start_[ix(i)]; s < A.start[i + 1]; ++s) {
        while (t < start_[ix(i) + 1] && column_[ix(t)] < A.column[s]) ++t;
        if (t < start_[ix(i) + 1] && column_[ix(t)] == A.column[s])
          std::copy_n(A.value + size * ix(s), size, value_.data() + size * ix(t));
      }
    block_ == 3 ? factorize<3>(first, last) : factorize<1>(first, last);
  });
}

template <int B>
void IncompleteLu::factorize(int first, int last) {
  const auto at = [&](int s) { return BlockMap<B>(value_.data() + static_cast<std::size_t>(B * B) * ix(s)); };
  std::vector<int> place(ix(last - first), -1);  // of each column in the row at hand
  for (int i = first; i < last; ++i) {
    const int begin = start_[ix(i)], end = start_[ix(i) + 1], own = diagonal_[ix(i)];
    for (int s = begin; s < end; ++s) place[ix(column_[ix(s)] - first)] = s;
    for (int s = begin; s < own; ++s) {
      const int j = column_[ix(s)];
      const Block<B> l = at(s) * at(diagonal_[ix(j)]);
      at(s) = l;
      for (int t = diagonal_[ix(j)] + 1; t < start_[ix(j) + 1]; ++t)
        if (const int to = place[ix(column_[ix(t)] - first)]; to >= 0) at(to).noalias() -= l * at(t);
    }
    at(own) = inverse<B>(at(own));
    for (int s = begin; s < end; ++s) place[ix(column_[ix(s)] - first)] = -1;
  }
}

template <int B>
void IncompleteLu::solve(int first, int last, const double* r, double* z) const {
  using Values = Eigen::Map<const Block<B>>;
  using Number = Eigen::Matrix<double, B, 1>;
  const auto at = [&](int s) { return Values(value_.data() + static_cast<std::size_t>(B * B) * ix(s)); };
  const auto part = [&](int i) { return Part<B>(z + static_cast<Index>(B) * i); };
  for (int i = first; i < last; ++i) {
    Number sum = Eigen::Map<const Number>(r + static_cast<Index>(B) * i);
    for (int s = start_[ix(i)]; s < diagonal_[ix(i)]; ++s) sum.noalias() -= at(s) * part(column_[ix(s)]);
    part(i) = sum;
  }
  for (int i = last - 1; i >= first; --i) {
    Number sum = part(i);
    for (int s = diagonal_[ix(i)] + 1; s < start_[ix(i) + 1]; ++s) sum.noalias() -= at(s) * part(column_[ix(s)]);
    part(i).noalias() = at(diagonal_[ix(i)]) * sum;
  }
}

double IncompleteLu::apply(const Vector& r, Vector& z) {
  for_pieces_of(static_cast<int>(diagonal_.size()), rows_a_piece, [&](int first, int last) {
    block_ == 3 ? solve<3>(first, last, r.data(), z.data()) : solve<1>(first, last, r.data(), z.data());
  });
  return chunked_dot(r, z);
}

}  // namespace limber
