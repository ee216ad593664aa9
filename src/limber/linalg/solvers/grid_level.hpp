#pragma once  // internal
/// A level of multigrid (multigrid.hpp): its matrix, smoother and transfer to the next level.

#include <optional>
#include <vector>

#include "limber/linalg/solvers/grid_product.hpp"
#include "limber/linalg/solvers/grid_smoother.hpp"
#include "limber/linalg/solvers/grid_transfer.hpp"

namespace limber {

/// Blocks are stored column by column. During set-up A has double precision; for cycles all levels are rounded
/// (`finish`), and the arrays used only by cycles replace the double-precision ones.
class GridLevel {
 public:
  int block = 3;   // rows of a block: 3, or one per motion of an aggregate
  GridMatrix own;  // A: on the finest level a view of the given matrix, otherwise of what is kept here
  std::vector<float> b, x;

  Index unknowns() const { return static_cast<Index>(block) * own.A.rows; }
  int all_nodes() const { return own.space.shared() ? own.space.numbering().nodes : own.A.rows; }
  /// Allocates the vectors for cycles.
  void prepare();

  /// See GridSmoother::set.
  SolveReport::Status prepare_smoother() { return smoother_.set(own.A, own.space, nullptr); }
  /// Computes P from the aggregates, and the next level without its values but with the restricted near-null vectors.
  SolveReport::Status make_coarse(const Aggregates& parts, NearNull& near_null, GridLevel& coarse);
  /// The part of each coarse node held here, from the parts of the nodes.
  std::vector<int> parts_of_aggregates(const Aggregates& parts, const std::vector<int>& part,
                                       const GridLevel& coarse) const;
  /// PᵀAP
  void coarse_values(GridLevel& coarse) const;

  void finish();
  void unfinish();

  /// On the finest level, after `finish`: see GridSmoother::changes.
  std::optional<BlockChanges> changes(int most) const { return smoother_.changes(own.A, most); }
  /// Takes changes into A and its smoother, after `finish`; returns what they change on the next level.
  BlockChanges take(const BlockChanges& changed, const GridLevel& coarse);
  /// The same on the coarsest level.
  void take(const BlockChanges& changed);

  void smooth_from_zero() { smoother_.smooth_from_zero(own.A, own.space, b, x); }
  void smooth() { smoother_.smooth(own.A, own.space, b, x); }
  void restrict_residual(GridLevel& coarse);
  void prolong(const GridLevel& coarse) { transfer_.prolong(block, coarse.x, x); }

 private:
  BlockRowPattern rows_;
  std::vector<double> value_;
  std::vector<char> dead_;  // #n: unknowns that are not in use
  GridSmoother smoother_;
  GridTransfer transfer_;
  GridProduct product_;
};

}  // namespace limber
