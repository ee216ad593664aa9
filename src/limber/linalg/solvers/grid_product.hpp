#pragma once  // internal
/// PᵀAP, the matrix of the next level of multigrid (multigrid.hpp).

#include <vector>

#include "limber/linalg/solvers/grid_transfer.hpp"

namespace limber {

/// A has the same pattern in all calls, and P is always the same.
class GridProduct {
 public:
  GridProduct() = default;
  GridProduct(const BlockRows& A, const GridTransfer& transfer);

  /// Of PᵀAP.
  BlockRowPattern pattern(const GridTransfer& transfer, int nodes) const;
  /// PᵀAP on this pattern, both triangles.
  void values(const GridTransfer& transfer, const BlockRows& A, const BlockRowPattern& pattern,
              std::vector<double>& value) const;
  /// PᵀΔP
  static BlockChanges changes(const GridTransfer& transfer, const BlockChanges& changed, int block);

 private:
  BlockRowPattern AP_;
};

}  // namespace limber
