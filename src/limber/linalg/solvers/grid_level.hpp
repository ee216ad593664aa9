#pragma once  // internal
/// A level of multigrid (multigrid.hpp): its matrix, smoother and transfer to the next level.

#include <type_traits>
#include <vector>

#include "limber/core/space.hpp"
#include "limber/linalg/block_row_pattern.hpp"
#include "limber/linalg/row_matrix.hpp"
#include "limber/linalg/solve_report.hpp"
#include "limber/linalg/solvers/aggregates.hpp"

namespace limber {

inline constexpr int aggregate_motions = 6;

/// Motions of all nodes, one per column. Not a `Matrix`, whose memory would be cached for the next one of the same
/// length: it is needed only once.
class NearNull {
 public:
  explicit NearNull(Index rows) : value_(static_cast<std::size_t>(rows * aggregate_motions), 0.0), rows_(rows) {}
  Eigen::Map<Matrix> matrix() { return {value_.data(), rows_, aggregate_motions}; }
  Eigen::Map<const Matrix> matrix() const { return {value_.data(), rows_, aggregate_motions}; }

 private:
  std::vector<double> value_;
  Index rows_;
};

/// A on this level, and P to the next. Blocks are stored column by column. During set-up A has double precision; for
/// cycles all levels are rounded (`finish`), and the arrays used only by cycles replace the double-precision ones.
class GridLevel {
 public:
  int block = 3;  // rows of a block: 3, or one per motion of an aggregate
  BlockRows A;    // on the finest level a view of the given matrix, otherwise owned
  Space space;    // of the nodes
  std::vector<float> b, x;

  Index unknowns() const { return static_cast<Index>(block) * A.rows; }
  int all_nodes() const { return space.shared() ? space.numbering().nodes : A.rows; }
  /// Allocates the vectors for cycles.
  void prepare();

  /// Computes D⁻¹ and the largest eigenvalue of D⁻¹A. `exact`: receives D⁻¹ in double precision; may be null. Returns
  /// indefinite if A is.
  SolveReport::Status prepare_smoother(std::vector<double>* exact = nullptr);
  /// Computes P from the aggregates, and the next level without its values but with the restricted near-null vectors.
  SolveReport::Status make_coarse(const Aggregates& parts, NearNull& near_null, GridLevel& coarse);
  /// The part of each coarse node held here, from the parts of the nodes.
  std::vector<int> parts_of_aggregates(const Aggregates& parts, const std::vector<int>& part,
                                       const GridLevel& coarse) const;
  /// PᵀAP
  void coarse_values(GridLevel& coarse);

  void finish();
  void unfinish();

  void smooth_from_zero();
  void smooth();
  void restrict_residual(GridLevel& coarse);
  void prolong(const GridLevel& coarse);

 private:
  /// f with the block size as a constant. Functions named …_of are compiled for each size.
  template <class F>
  auto with_block(const F& f) const {
    return block == 3 ? f(std::integral_constant<int, 3>()) : f(std::integral_constant<int, aggregate_motions>());
  }
  template <int B>
  SolveReport::Status invert_diagonal_of(std::vector<double>* exact);
  /// `blocks`: the values of A, in either precision.
  template <int B, class Value, class Then>
  void product(const Value* blocks, const std::vector<float>& from, const Then& then) const;
  template <int B>
  void estimate_top_of();
  template <int B>
  NearNull make_transfer_of(const Aggregates& parts, const NearNull& near_null,
                            const std::vector<double>& inverse_exact, GridLevel& coarse);
  void transpose_P(int columns);
  void add_up_rows_of_P(int size, std::vector<double>& P_value) const;
  void make_coarse_pattern(const NearNull& coarse_null, GridLevel& coarse) const;
  template <int B>
  void coarse_values_of(GridLevel& coarse);
  template <int B>
  void finish_of();
  template <int B>
  void smooth_from_zero_of();
  template <int B>
  void smooth_of();
  template <int B>
  void restrict_residual_of(GridLevel& coarse);
  template <int B>
  void prolong_of(const GridLevel& coarse);

  BlockRowPattern rows_;
  std::vector<double> value_;
  std::vector<char> dead_;                // #n: unknowns that are not in use
  std::vector<float> rounded_, inverse_;  // A; inverses of its diagonal blocks
  std::vector<float> d_, other_, largest_;
  double top_ = 0;

  BlockRowPattern P_, AP_;
  std::vector<int> t_start_, t_row_, t_slot_;    // Pᵀ by rows; t_slot_: position of each block in P
  std::vector<float> prolonging_, restricting_;  // the blocks of P and of Pᵀ, in the layout used by products
};

}  // namespace limber
