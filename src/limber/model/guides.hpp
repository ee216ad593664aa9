#pragma once
/// Nodes that are held in some directions and free in the others. All three components stay unknowns, so that matrices
/// keep their 3×3 blocks. Forces are projected on the free directions; along the held ones, rows and columns have only
/// a diagonal, so the unknown does not move. The prescription gives the node's motion there.

#include <vector>

#include "limber/model/block_pattern.hpp"

namespace limber {

struct GuidedNode {
  int node;
  Mat3 free;  // projection on the free directions
  /// Prescriptions, each with the projection on the directions it holds.
  std::vector<std::pair<int, Mat3>> held;
};

/// Adds to a guided node the directions `held` by prescription k. Returns false if some of them are held already.
bool add_guide(GuidedNode& node, int k, const Mat3& held);

class Guides {
 public:
  struct Unknown {
    int number;
    Mat3 free;
  };

  Guides() = default;
  /// nodes: the number of unknown nodes.
  Guides(std::vector<Unknown> unknowns, int nodes);

  bool any() const { return !unknowns_.empty(); }
  /// fᵢ ← Pᵢ fᵢ.
  void project(Vector& f) const;
  /// Aᵢⱼ ← Pᵢ Aᵢⱼ Pⱼ for a matrix that stores all its blocks.
  void project(SparseMatrix& A) const;

 private:
  friend class GuidedPattern;
  struct Block {
    int a, b;  // indices in unknowns_, −1: free
    BlockPattern::Slot slot;
  };
  std::vector<Block> blocks_of(const SparseMatrix& A) const;
  template <class Own>
  void project(const Block& block, double* values, const Own& own) const;

  std::vector<Unknown> unknowns_;
  std::vector<int> place_;  // per unknown node: index in unknowns_, −1: free
};

/// The blocks of one pattern that guides change. It refers to the guides.
class GuidedPattern {
 public:
  /// The diagonal along held directions: a mass, a stiffness as large as that of the node, or nothing.
  enum class Diagonal { kept, large, none };

  GuidedPattern() = default;
  /// For matrices on the pattern of A.
  GuidedPattern(const Guides& guides, const SparseMatrix& A, Storage storage);
  /// Aᵢⱼ ← Pᵢ Aᵢⱼ Pⱼ.
  void project(double* values, Diagonal diagonal) const;

 private:
  const Guides* guides_ = nullptr;
  std::vector<Guides::Block> blocks_;
  Storage storage_ = Storage::lower;
};

}  // namespace limber
