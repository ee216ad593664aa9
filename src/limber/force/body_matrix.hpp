#pragma once
/// Symmetric matrices over all nodes of one body, prescribed ones too: their velocities damp free nodes. They are
/// stored whole, on a pattern of the body's own.

#include <span>
#include <utility>
#include <vector>

#include "limber/model/force.hpp"
#include "limber/model/nodal_mass.hpp"

namespace limber {

class BodyPattern {
 public:
  /// `couplings`: pairs of nodes of the body; `nodes`: how many the system has.
  BodyPattern(std::vector<std::pair<int, int>> couplings, Index nodes);

  /// Ascending, each pair once, the smaller node first.
  const std::vector<std::pair<int, int>>& couplings() const { return couplings_; }
  int first_node() const { return first_node_; }
  /// The body's part of a vector over all nodes.
  Index first() const { return 3 * static_cast<Index>(first_node_); }
  Index size() const { return 3 * static_cast<Index>(pattern_.nodes()); }
  /// How many nodes the system has.
  Index all_nodes() const { return static_cast<Index>(index_.size()); }

  SparseMatrix zero() const { return pattern_.zero(); }
  void bind(Force& force) const { force.bind(pattern_, index_); }
  /// Adds stiffness to A.
  TangentBuilder builder(Definiteness d, SparseMatrix& A) const { return {pattern_, index_, d, A.valuePtr(), nullptr}; }
  /// A += scale · M.
  void add_mass(std::span<const NodalMass> masses, double scale, SparseMatrix& A) const;
  /// y −= A x on the body's nodes.
  void subtract_product(const SparseMatrix& A, const Vector& x, Vector& y) const;

 private:
  std::vector<std::pair<int, int>> couplings_;
  int first_node_ = 0;
  std::vector<int> index_;  // per node of the system: its number in the body, −1 outside
  BlockPattern pattern_;
};

/// Where the blocks of a body's matrices are on the pattern of a system.
class BoundBlocks {
 public:
  BoundBlocks() = default;
  BoundBlocks(const BodyPattern& body, const BlockPattern& pattern, std::span<const int> free_index);

  bool on(const BlockPattern& pattern) const { return pattern_ == &pattern; }
  /// values += scale · A.
  void add(const SparseMatrix& A, double scale, double* values) const;
  /// A in the order of the pattern, from the first of the body's entries to the last one; values += such entries.
  Vector entries(const SparseMatrix& A) const;
  void add(const Vector& entries, double* values) const { Vector::Map(values + first_, entries.size()) += entries; }

 private:
  struct Copy {
    BlockPattern::Slot from, to;
  };
  const BlockPattern* pattern_ = nullptr;
  std::vector<Copy> copies_;
  Index first_ = 0, count_ = 0;
};

}  // namespace limber
