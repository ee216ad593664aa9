#pragma once
/// Nodes that are held in some directions and free in the others. All three components stay unknowns, so that matrices
/// keep their 3×3 blocks: along what is held, forces are taken out, rows and columns are empty but for a diagonal, and
/// so the unknown stands still. What the node truly does there, the prescription says.

#include <vector>

#include "limber/model/block_pattern.hpp"

namespace limber {

struct GuidedNode {
  int node;
  Mat3 free;  // the projection on the directions in which it is free
  /// Prescriptions, and the projections on what each of them holds.
  std::vector<std::pair<int, Mat3>> held;
};

/// Of a guided node, `held` more by prescription k. False: what it holds is held already, in part or whole.
bool add_guide(GuidedNode& node, int k, const Mat3& held);

class Guides {
 public:
  /// What stands on the diagonal along what is held: a mass, or a stiffness as large as that of the node; or nothing.
  enum class Diagonal { kept, large, none };
  struct Unknown {
    int number;
    Mat3 free;
  };

  Guides() = default;
  /// For matrices on the pattern of A.
  Guides(std::vector<Unknown> unknowns, const SparseMatrix& A, Storage storage);

  bool any() const { return !unknowns_.empty(); }
  /// fᵢ ← Pᵢ fᵢ.
  void project(Vector& f) const;
  /// Aᵢⱼ ← Pᵢ Aᵢⱼ Pⱼ.
  void project(double* values, Diagonal diagonal) const;
  /// The like for a matrix on any pattern of blocks.
  void project(SparseMatrix& A) const;

 private:
  struct Block {
    int a, b;  // places in unknowns_, −1: free
    BlockPattern::Slot slot;
  };
  std::vector<Block> blocks_of(const SparseMatrix& A) const;
  void project(const Block& block, double* values, Diagonal diagonal) const;

  std::vector<Unknown> unknowns_;
  std::vector<int> place_;  // per unknown node, −1: free
  std::vector<Block> blocks_;
  Storage storage_ = Storage::lower;
};

}  // namespace limber
