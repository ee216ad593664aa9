#pragma once  // internal
/// The smoother of a level of multigrid (multigrid.hpp): a Chebyshev polynomial of degree 2 in D⁻¹A, with the diagonal
/// blocks D, in single precision. It keeps A rounded. The block size is 3, or one row per motion of an aggregate.

#include <optional>
#include <type_traits>
#include <vector>

#include "limber/core/space.hpp"
#include "limber/linalg/row_matrix.hpp"
#include "limber/linalg/solve_report.hpp"

namespace limber {

inline constexpr int aggregate_motions = 6;

/// f with the block size as a constant. Functions named …_of are compiled for each size.
template <class F>
auto with_block(int block, const F& f) {
  return block == 3 ? f(std::integral_constant<int, 3>()) : f(std::integral_constant<int, aggregate_motions>());
}

/// By how much some blocks of a symmetric matrix have changed: both triangles, column by column in each block.
struct BlockChanges {
  std::vector<int> row, column;
  std::vector<double> value;
};

/// A and its nodes must be those of all calls; only the values of A may change.
class GridSmoother {
 public:
  void prepare(Index unknowns);
  /// Computes D⁻¹ and the largest eigenvalue of D⁻¹A. `exact`: receives D⁻¹ in double precision; may be null. Returns
  /// indefinite if A is.
  SolveReport::Status set(const BlockRows& A, const Space& space, std::vector<double>* exact);
  /// The largest eigenvalue of D⁻¹A.
  double top() const { return top_; }

  /// Rounds A, which cycles then read; `drop` frees it.
  void round(const BlockRows& A);
  void drop() { rounded_ = std::vector<float>(); }
  bool rounded() const { return !rounded_.empty(); }

  void smooth_from_zero(const BlockRows& A, const Space& space, const std::vector<float>& b, std::vector<float>& x);
  void smooth(const BlockRows& A, const Space& space, const std::vector<float>& b, std::vector<float>& x);
  /// b − A x, each node's share counted once among processes; valid until the next call of anything here.
  const std::vector<float>& residual(const BlockRows& A, const Space& space, const std::vector<float>& b,
                                     const std::vector<float>& x);

  /// Blocks of 3 rows only: where the diagonal of `now` differs much from that of the rounded matrix, and what that is
  /// coupled to; all blocks between such nodes. Nothing if they are more than `most`.
  std::optional<BlockChanges> changes(const BlockRows& now, int most) const;
  /// Takes the changes into the rounded matrix.
  void take(const BlockRows& A, const Space& space, const BlockChanges& changed);

 private:
  template <int B>
  SolveReport::Status invert_diagonal_of(const BlockRows& A, const Space& space, std::vector<double>* exact);
  template <int B>
  void estimate_top_of(const BlockRows& A, const Space& space);
  template <int B>
  void smooth_from_zero_of(const BlockRows& A, const Space& space, const float* b, float* x);
  template <int B>
  void smooth_of(const BlockRows& A, const Space& space, const float* b, std::vector<float>& x);
  template <int B>
  void residual_of(const BlockRows& A, const Space& space, const float* b, const std::vector<float>& x);
  template <int B>
  void take_of(const BlockRows& A, const BlockChanges& changed);

  std::vector<float> rounded_, inverse_;  // A; inverses of its diagonal blocks
  std::vector<float> d_, other_, largest_;
  double top_ = 0;
};

}  // namespace limber
