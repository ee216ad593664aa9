#pragma once
/// The sparsity of matrices made of 3×3 blocks, one block for each coupled pair of free nodes. Matrices on one pattern
/// differ only in their values, so M, K, D and the stage matrix are added as arrays.

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "limber/core/types.hpp"

namespace limber {

/// Lower: blocks (a, b) with a ≥ b only (symmetric systems). Diagonal blocks are always stored whole.
enum class Storage { lower, full };

/// The matrix of up to four nodes, in their order. Rows and columns of a node < 0 are unused and not read.
struct NodeMatrix {
  std::array<int, 4> nodes{-1, -1, -1, -1};
  Mat12 A;
  /// Prepares for this many nodes; the caller then sets them.
  void resize(std::size_t) { nodes.fill(-1); }
};

/// The same for any number of nodes. NodeMatrixView is the view of either one that `BlockPattern` reads.
struct LargeNodeMatrix {
  std::vector<int> nodes;
  Matrix A;
  void resize(std::size_t n) {
    nodes.resize(n);
    A.resize(3 * static_cast<Index>(n), 3 * static_cast<Index>(n));
  }
};
struct NodeMatrixView {
  std::span<const int> nodes;
  const double* A;  // columns of 3 #nodes
};

class BlockPattern {
 public:
  /// The position of block (a, b) in the value array: entry (r, c) is at `first + c·stride + r`; first < 0: not stored.
  struct Slot {
    int first = -1;
    int stride = 0;
    int at(int r, int c) const { return first + c * stride + r; }
  };

  BlockPattern() = default;
  /// `pairs`: coupled free nodes in any order, repeats allowed. Diagonal blocks are always included.
  BlockPattern(int nodes, const std::vector<std::pair<int, int>>& pairs, Storage storage);

  Slot slot(int a, int b) const;
  int nodes() const { return static_cast<int>(start_.size()) - 1; }
  Index entries() const { return 9 * static_cast<Index>(rows_.size()); }
  Storage storage() const { return storage_; }
  /// Adds matrices to values on this pattern, in parallel. Each entry is summed in the order of the matrices. With
  /// lower storage, blocks above the diagonal are dropped.
  void add(std::span<const NodeMatrixView> matrices, double* values) const;
  /// Adds one block. Both overloads throw std::logic_error if a block that should be stored is not.
  void add(int a, int b, const Mat3& block, double* values) const;
  /// A matrix of explicit zeros on this pattern, 3n × 3n.
  SparseMatrix zero() const;
  /// Whether the compressed matrix A has this pattern.
  bool is_of(const SparseMatrix& A) const;

 private:
  std::vector<int> start_{0};  // #n+1: first block of each block column
  std::vector<int> rows_;      // block rows, ascending in each column
  Storage storage_ = Storage::lower;
};

}  // namespace limber
