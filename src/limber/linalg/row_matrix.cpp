#include "limber/linalg/row_matrix.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "limber/core/errors.hpp"
#include "limber/core/extremes.hpp"
#include "limber/linalg/block_row.hpp"
#include "limber/linalg/chunks.hpp"
#include "limber/linalg/countable.hpp"

namespace limber {
namespace {

/// The columns of A as columns of B×B blocks. Entry (r, c) of the k-th block of block column b lies at
/// `first[B b + c] + B k + r` of A's values. A symmetric matrix counts from below the diagonal block, which is k = −1
/// and of which only the lower triangle need be there.
struct BlockColumns {
  std::vector<int> first;         // #n
  std::vector<int> start;         // #n/B + 1
  std::vector<int> rows;          // block rows, ascending in each column
  std::vector<char> no_diagonal;  // #n/B
};

/// False if A is not made of whole B×B blocks.
template <int B>
class ColumnReader {
 public:
  ColumnReader(const SparseMatrix& A, Symmetry symmetry)
      : outer_(A.outerIndexPtr()),
        inner_(A.innerIndexPtr()),
        blocks_(static_cast<int>(A.cols()) / B),
        symmetry_(symmetry) {}

  bool read(BlockColumns& out) const {
    out.first.resize(static_cast<std::size_t>(B) * blocks_);
    out.start.assign(1, 0);
    out.no_diagonal.assign(blocks_, 0);
    for (int b = 0; b < blocks_; ++b) {
      if (!read_column(b, out)) return false;
      out.start.push_back(static_cast<int>(out.rows.size()));
    }
    return true;
  }

 private:
  bool read_column(int b, BlockColumns& out) const {
    for (int c = 0; c < B; ++c) {
      const int j = B * b + c, end = outer_[j + 1];
      int at = outer_[j];
      if (symmetry_ == Symmetry::symmetric && !skip_diagonal(b, c, at, out)) return false;
      out.first[j] = at;
      if (c > 0) {
        const int at0 = out.first[B * b], length = end - at;
        if (length != outer_[B * b + 1] - at0) return false;
        if (length > 0 && std::memcmp(inner_ + at, inner_ + at0, sizeof(int) * length) != 0) return false;
      } else if (!append_rows(at, end, out)) {
        return false;
      }
    }
    return true;
  }

  /// Moves `at` behind the rows of the diagonal block.
  bool skip_diagonal(int b, int c, int& at, BlockColumns& out) const {
    const int j = B * b + c, end = outer_[j + 1];
    while (at < end && inner_[at] < B * b) {
      if (B > 1) return false;
      ++at;
    }
    int lower = 0;
    for (; at < end && inner_[at] < B * (b + 1); ++at) lower += inner_[at] >= j ? 1 : 0;
    if (lower == B - c) return true;
    out.no_diagonal[b] = 1;
    return B == 1;
  }

  bool append_rows(int at, int end, BlockColumns& out) const {
    if ((end - at) % B != 0) return false;
    for (; at < end; at += B) {
      if (inner_[at] % B != 0) return false;
      for (int r = 1; r < B; ++r)
        if (inner_[at + r] != inner_[at] + r) return false;
      out.rows.push_back(inner_[at] / B);
    }
    return true;
  }

  const int* outer_;
  const int* inner_;
  int blocks_;
  Symmetry symmetry_;
};

SolveReport::Status invert(const double* a, Symmetry symmetry, double* inverse, std::integral_constant<int, 1>) {
  const bool symmetric = symmetry == Symmetry::symmetric;
  *inverse = symmetric ? (*a > 0 ? 1 / *a : 1) : (*a != 0 ? 1 / *a : 1);
  if (symmetric && !(*a > 0)) return SolveReport::Status::indefinite;
  return *a != 0 ? SolveReport::Status::ok : SolveReport::Status::singular;
}

/// By cofactors. Positive definite: the three leading minors are positive.
SolveReport::Status invert(const double* a, Symmetry symmetry, double* inverse, std::integral_constant<int, 3>) {
  const Eigen::Map<const Mat3> A(a);
  Eigen::Map<Mat3> inv(inverse);
  Mat3 C;  // rows of the adjugate
  C.row(0) = A.col(1).cross(A.col(2)).transpose();
  C.row(1) = A.col(2).cross(A.col(0)).transpose();
  C.row(2) = A.col(0).cross(A.col(1)).transpose();
  const double det = C.row(0).dot(A.col(0));
  inv = C / det;
  const double scale = A.col(0).norm() * A.col(1).norm() * A.col(2).norm();
  constexpr double rounding = 1e-15;
  if (symmetry == Symmetry::symmetric) {
    if (A(0, 0) > 0 && C(2, 2) > 0 && det > rounding * scale) return SolveReport::Status::ok;
    inv.setIdentity();
    return SolveReport::Status::indefinite;
  }
  if (std::abs(det) > rounding * scale) return SolveReport::Status::ok;
  inv.setIdentity();
  return SolveReport::Status::singular;
}

template <int B>
class RowBlocks final : public RowMatrix {
 public:
  RowBlocks(const SparseMatrix& A, BlockColumns columns, Symmetry symmetry)
      : RowMatrix(B), blocks_(static_cast<int>(A.cols()) / B), symmetry_(symmetry), columns_(std::move(columns)) {
    require_countable(symmetry == Symmetry::symmetric ? 2 * std::ssize(columns_.rows) + blocks_
                                                      : std::ssize(columns_.rows));  // its blocks, that is
    symmetry == Symmetry::symmetric ? place_symmetric() : place_general();
    entries_ = static_cast<Index>(B * B) * static_cast<Index>(column_.size());
    value_.assign(static_cast<std::size_t>(entries_) + read_beyond_blocks, 0.0);
    size_ = static_cast<Index>(B) * blocks_;
    cut_pieces();
    block_rows_ = {B, blocks_, start_.data(), column_.data(), value_.data()};
    columns_.rows = std::vector<int>();
    columns_.start = std::vector<int>();
  }

  void refresh(const SparseMatrix& A) override {
    const double* from = A.valuePtr();
    for_pieces([&](int begin, int end) {
      for (int i = begin; i < end; ++i)
        for (int s = start_[i]; s < start_[i + 1]; ++s) copy_block(from, i, s);
    });
  }

  void multiply(const double* x, double* y) const override {
    for_pieces([&](int begin, int end) {
      for (int i = begin; i < end; ++i) multiply_row(value_, i, x, y);
    });
  }

  Matrix multiply_block(const Eigen::Ref<const Matrix>& X) const override {
    Matrix Y(X.rows(), X.cols());
    std::vector<double> rows(static_cast<std::size_t>(width * size()), 0.0);  // of `width` columns, row by row
    for (Index c = 0; c < X.cols(); c += width) {
      const Index columns = std::min<Index>(width, X.cols() - c);
      for_chunks(size(), [&](Index begin, Index end) {
        for (Index k = 0; k < columns; ++k)
          for (Index i = begin; i < end; ++i) rows[static_cast<std::size_t>(width * i + k)] = X(i, c + k);
      });
      for_pieces([&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
          double sum[B * width] = {};
          multiply_row_block(i, rows.data(), sum);
          for (Index k = 0; k < columns; ++k)
            for (int r = 0; r < B; ++r) Y(static_cast<Index>(B) * i + r, c + k) = sum[r * width + k];
        }
      });
    }
    return Y;
  }

  double multiply_dot(const double* x, double* y) const override { return dot_with(value_, x, y); }
  double multiply_dot_rounded(const double* x, double* y) const override { return dot_with(rounded_, x, y); }

  /// ‖E‖₂ ≤ ‖E‖_∞ for symmetric matrices, and no entry is off by more than half a unit of its last place.
  double round(Rounded rounded) override {
    if (rounded == Rounded::dropped) {
      rounded_ = std::vector<float>();
      return 0;
    }
    rounded_.resize(value_.size());
    Vector most_of_piece(static_cast<Index>(piece_.size()) - 1);
    parallel_for(most_of_piece.size(), [&](Index p) {
      double most = 0;
      for (int i = piece_[p]; i < piece_[p + 1]; ++i) {
        double sum[B * B] = {};
        for (Index k = B * B * Index{start_[i]}; k < B * B * Index{start_[i + 1]}; k += B * B)
          for (int e = 0; e < B * B; ++e) {
            rounded_[k + e] = static_cast<float>(value_[k + e]);
            sum[e] += std::abs(value_[k + e]);
          }
        for (int r = 0; r < B; ++r) {
          double row = 0;
          for (int c = 0; c < B; ++c) row += sum[c * B + r];
          most = max_or_nan(most, row);
        }
      }
      most_of_piece[p] = most;
    });
    constexpr double half_unit = .5 * std::numeric_limits<float>::epsilon();
    return half_unit * (1 + 1e-6) * (most_of_piece.size() == 0 ? 0 : largest(most_of_piece));
  }

  SolveReport::Status invert_diagonal(Inverse inverse) override {
    std::atomic<SolveReport::Status> status = SolveReport::Status::ok;
    const bool kept = inverse == Inverse::kept;
    if (kept)
      inverse_.resize(static_cast<std::size_t>(B * B) * blocks_);
    else
      inverse_ = std::vector<double>();
    in_pieces(
        static_cast<std::size_t>(blocks_), 512,
        [&](std::size_t place) {
          const int i = static_cast<int>(place);
          double dropped[B * B];
          double* to = kept ? inverse_.data() + B * B * place : dropped;
          const auto found = diagonal_[i] < 0 ? missing(to) : invert(block(diagonal_[i]), symmetry_, to, block_);
          if (found != SolveReport::Status::ok) status = found;
        },
        20);
    return status;
  }

  double apply_inverse_diagonal(const double* r, double* z) const override {
    return sum_chunks(size(), [&](Index begin, Index end) {
      double sum[B] = {};
      for (Index i = begin / B; i < end / B; ++i) {
        const double* D = inverse_.data() + B * B * i;
        for (int a = 0; a < B; ++a) {
          double za = 0;
          for (int c = 0; c < B; ++c) za += D[c * B + a] * r[B * i + c];
          z[B * i + a] = za;
          sum[a] += za * r[B * i + a];
        }
      }
      double total = 0;
      for (const double s : sum) total += s;
      return total;
    });
  }

 private:
  double* block(int s) { return value_.data() + static_cast<std::size_t>(B * B) * s; }

  SolveReport::Status missing(double* inverse) const {
    Eigen::Map<Eigen::Matrix<double, B, B>>(inverse).setIdentity();
    return symmetry_ == Symmetry::symmetric ? SolveReport::Status::indefinite : SolveReport::Status::singular;
  }

  template <class Body>
  void for_pieces(const Body& body) const {
    parallel_for(
        static_cast<Index>(piece_.size()) - 1, [&](Index p) { body(piece_[p], piece_[p + 1]); }, piece_cost);
  }

  template <class Values>
  double dot_with(const Values& values, const double* x, double* y) const {
    return ordered_sum(
        static_cast<Index>(piece_.size()) - 1,
        [&](Index p) {
          double sum = 0;
          for (int i = piece_[p]; i < piece_[p + 1]; ++i) {
            multiply_row(values, i, x, y);
            for (int r = 0; r < B; ++r) sum += x[B * i + r] * y[B * i + r];
          }
          return sum;
        },
        piece_cost);
  }

  template <class Values>
  void multiply_row(const Values& values, int i, const double* x, double* y) const {
    multiply_block_row<B, B>(values.data() + static_cast<std::size_t>(B * B) * start_[i], column_.data() + start_[i],
                             start_[i + 1] - start_[i], x, y + static_cast<Index>(B) * i);
  }

  void multiply_row_block(int i, const double* x, double* sum) const {
    for (int s = start_[i]; s < start_[i + 1]; ++s) {
      const double* a = value_.data() + static_cast<std::size_t>(B * B) * s;
      const double* xj = x + static_cast<Index>(B * width) * column_[s];
      for (int c = 0; c < B; ++c)
        for (int r = 0; r < B; ++r)
          for (int k = 0; k < width; ++k) sum[r * width + k] += a[c * B + r] * xj[c * width + k];
    }
  }

  void copy_block(const double* from, int i, int s) {
    const int j = column_[s], k = B * source_[s];
    double* to = block(s);
    if (symmetry_ == Symmetry::general || j < i) {
      const int* first = columns_.first.data() + static_cast<std::size_t>(B) * j;
      for (int c = 0; c < B; ++c)
        for (int r = 0; r < B; ++r) to[c * B + r] = from[first[c] + k + r];
      return;
    }
    const int* first = columns_.first.data() + static_cast<std::size_t>(B) * i;
    for (int c = 0; c < B; ++c)
      for (int r = 0; r < B; ++r) to[c * B + r] = j == i && r > c ? from[first[c] + k + r] : from[first[r] + k + c];
  }

  /// Counts, then places, the blocks of each row: `each(put)` calls put(row, column, k) with columns ascending.
  template <class Each>
  void place(const Each& each) {
    start_.assign(blocks_ + 1, 0);
    each([&](int i, int, int) { ++start_[i + 1]; });
    for (int i = 0; i < blocks_; ++i) start_[i + 1] += start_[i];
    column_.resize(start_.back());
    source_.resize(start_.back());
    diagonal_.assign(blocks_, -1);
    std::vector<int> next(start_.begin(), start_.end() - 1);
    each([&](int i, int j, int k) {
      if (i == j) diagonal_[i] = next[i];
      column_[next[i]] = j;
      source_[next[i]++] = k;
    });
  }

  void place_symmetric() {
    place([&](const auto& put) {
      for (int b = 0; b < blocks_; ++b) {
        if (columns_.no_diagonal[b] == 0) put(b, b, -1);
        for (int s = columns_.start[b]; s < columns_.start[b + 1]; ++s) {
          put(columns_.rows[s], b, s - columns_.start[b]);
          put(b, columns_.rows[s], s - columns_.start[b]);
        }
      }
    });
  }

  void place_general() {
    place([&](const auto& put) {
      for (int b = 0; b < blocks_; ++b)
        for (int s = columns_.start[b]; s < columns_.start[b + 1]; ++s) put(columns_.rows[s], b, s - columns_.start[b]);
    });
  }

  void cut_pieces() {
    constexpr int blocks_in_piece = entries_in_piece / (B * B);
    piece_.assign(1, 0);
    for (int i = 0; i < blocks_; ++i)
      if (start_[i + 1] - start_[piece_.back()] >= blocks_in_piece) piece_.push_back(i + 1);
    if (piece_.back() < blocks_ || piece_.size() == 1) piece_.push_back(blocks_);
  }

  static constexpr int width = 4;  // columns of a block that are multiplied at a time
  static constexpr int entries_in_piece = 24576;
  static constexpr double piece_cost = 8e3;  // [ns] of a product
  static constexpr std::integral_constant<int, B> block_{};
  int blocks_;
  Symmetry symmetry_;
  BlockColumns columns_;
  std::vector<int> start_, column_, source_;  // rows of blocks; source_: k of the block in A's block column
  std::vector<int> diagonal_;                 // where block (i, i) is, −1: not stored
  std::vector<double> value_, inverse_;       // column-major blocks
  std::vector<float> rounded_;                // value_
  std::vector<int> piece_;                    // rows that are one piece of work, of about equal entries
};

/// The sum of what all processes have.
class SharedRows final : public RowMatrix {
 public:
  SharedRows(std::unique_ptr<RowMatrix> own, Symmetry symmetry, const Space& space)
      : RowMatrix(3, space), own_(std::move(own)), symmetry_(symmetry) {
    size_ = own_->size();
    entries_ = own_->entries();
    block_rows_ = own_->block_rows();
  }

  void refresh(const SparseMatrix& A) override { own_->refresh(A); }
  void multiply(const double* x, double* y) const override {
    own_->multiply(x, y);
    space_.add_up(y, 3);
  }
  Matrix multiply_block(const Eigen::Ref<const Matrix>& X) const override {
    Matrix Y = own_->multiply_block(X);
    space_.add_up(Y);
    return Y;
  }
  double multiply_dot(const double* x, double* y) const override { return added_up(own_->multiply_dot(x, y), y); }
  double multiply_dot_rounded(const double* x, double* y) const override {
    return added_up(own_->multiply_dot_rounded(x, y), y);
  }
  double round(Rounded rounded) override { return space_.sum(own_->round(rounded)); }

  SolveReport::Status invert_diagonal(Inverse inverse) override {
    const bool kept = inverse == Inverse::kept;
    inverse_ = std::vector<double>(static_cast<std::size_t>(kept ? 3 * size_ : 0));
    const std::vector<int>& several = space_.held_by_several();
    std::vector<double> added_up(9 * several.size());
    for (std::size_t k = 0; k < several.size(); ++k) std::copy_n(diagonal(several[k]), 9, added_up.data() + 9 * k);
    space_.add_up_held(added_up.data(), 9);
    auto status = SolveReport::Status::ok;
    const double* next = added_up.data();
    for (int i = 0; i < block_rows_.rows; ++i) {
      const double* D = diagonal(i);
      if (space_.held_elsewhere(i)) D = std::exchange(next, next + 9);
      double dropped[9];
      double* to = kept ? inverse_.data() + 9 * static_cast<std::size_t>(i) : dropped;
      const auto found = invert(D, symmetry_, to, std::integral_constant<int, 3>());
      if (found != SolveReport::Status::ok) status = found;
    }
    if (space_.all(status == SolveReport::Status::ok)) return SolveReport::Status::ok;
    return symmetry_ == Symmetry::symmetric ? SolveReport::Status::indefinite : SolveReport::Status::singular;
  }

  double apply_inverse_diagonal(const double* r, double* z) const override {
    double sum = 0;
    for (Index i = 0; i < size_ / 3; ++i) {
      const double* D = inverse_.data() + 9 * i;
      double own = 0;
      for (int a = 0; a < 3; ++a) {
        double za = 0;
        for (int c = 0; c < 3; ++c) za += D[c * 3 + a] * r[3 * i + c];
        z[3 * i + a] = za;
        own += za * r[3 * i + a];
      }
      if (space_.owns(i)) sum += own;
    }
    return space_.sum(sum);
  }

 private:
  /// Of this process; zero where none is stored.
  const double* diagonal(int i) const {
    static constexpr double none[9] = {};
    const int *begin = block_rows_.column + block_rows_.start[i], *end = block_rows_.column + block_rows_.start[i + 1];
    const int* at = std::lower_bound(begin, end, i);
    return at != end && *at == i ? block_rows_.value + 9 * (at - block_rows_.column) : none;
  }

  double added_up(double own, double* y) const {
    space_.add_up(y, 3);
    return space_.sum(own);
  }

  std::unique_ptr<RowMatrix> own_;
  Symmetry symmetry_;
  std::vector<double> inverse_;
};

std::unique_ptr<RowMatrix> own_rows(const SparseMatrix& A, Symmetry symmetry) {
  if (A.cols() % 3 == 0) {
    BlockColumns columns;
    if (ColumnReader<3>(A, symmetry).read(columns))
      return std::make_unique<RowBlocks<3>>(A, std::move(columns), symmetry);
  }
  BlockColumns columns;
  ColumnReader<1>(A, symmetry).read(columns);
  return std::make_unique<RowBlocks<1>>(A, std::move(columns), symmetry);
}

}  // namespace

std::unique_ptr<RowMatrix> make_row_matrix(const SparseMatrix& A, Symmetry symmetry, const Space& space) {
  auto own = own_rows(A, symmetry);
  if (!space.shared()) return own;
  if (!space.all(own->block_size() == 3))
    throw InputError("method.solver",
                     "several processes share only matrices of 3×3 blocks, one for each pair of nodes");
  return std::make_unique<SharedRows>(std::move(own), symmetry, space);
}

}  // namespace limber
