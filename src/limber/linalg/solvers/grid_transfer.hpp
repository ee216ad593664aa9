#pragma once  // internal
/// P, the transfer from a level of multigrid (multigrid.hpp) to the next one, and its products.

#include <vector>

#include "limber/linalg/block_row_pattern.hpp"
#include "limber/linalg/solvers/aggregates.hpp"
#include "limber/linalg/solvers/grid_smoother.hpp"

namespace limber {

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

/// The matrix of a level and the nodes it belongs to.
struct GridMatrix {
  BlockRows A;
  Space space;
};

class GridTransfer {
 public:
  /// P by rows, its blocks column by column, and Pᵀ by rows; t_slot: position of each block in P.
  struct Blocks {
    const BlockRowPattern& P;
    const std::vector<float>& value;
    const std::vector<int>&t_start, &t_row, &t_slot;
  };
  Blocks blocks() const { return {P_, prolonging_, t_start_, t_row_, t_slot_}; }

  /// P for A, whose near-null vectors, D⁻¹ and largest eigenvalue of D⁻¹A are given. Sets the nodes of the next level;
  /// returns what of the near-null vectors that sees.
  NearNull make(const GridMatrix& fine, const Aggregates& parts, const NearNull& near_null,
                const std::vector<double>& inverse_exact, double top, GridMatrix& coarse);
  /// Pᵀ is copied into the layout of products; `drop` frees that.
  void transpose(int block);
  void drop() { restricting_ = std::vector<float>(); }
  /// to = Pᵀ from
  void restrict(int block, const std::vector<float>& from, const GridMatrix& coarse, std::vector<float>& to) const;
  /// to += P from
  void prolong(int block, const std::vector<float>& from, std::vector<float>& to) const;

 private:
  template <int B>
  NearNull make_of(const GridMatrix& fine, const Aggregates& parts, const NearNull& near_null,
                   const std::vector<double>& inverse_exact, double top, GridMatrix& coarse);
  void transpose_pattern(int columns);
  void add_up_rows(const Space& space, int size, std::vector<double>& P_value) const;
  template <int B>
  void transpose_of();
  template <int B>
  void restrict_of(const std::vector<float>& from, int rows, float* to) const;
  template <int B>
  void prolong_of(const std::vector<float>& from, std::vector<float>& to) const;

  BlockRowPattern P_;
  std::vector<int> t_start_, t_row_, t_slot_;    // Pᵀ by rows; t_slot_: position of each block in P
  std::vector<float> prolonging_, restricting_;  // the blocks of P and of Pᵀ, in the layout used by products
};

}  // namespace limber
