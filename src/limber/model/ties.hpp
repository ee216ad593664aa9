#pragma once
/// Nodes each tied to others:
///
///     x_i = Σ_k w_k x_k,  Σ_k w_k = 1;   x = W z,  f_z = Wᵀ f,  K_z = Wᵀ K W,
///
/// z: the free nodes that are not tied, in their order. W is constant, so M_z = Wᵀ M W is too, and every method applies
/// to z as it does to x.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "limber/model/block_pattern.hpp"

namespace limber {

struct Tie {
  struct Term {
    int node;  // free, and itself not tied
    double weight;
  };
  int node;
  std::vector<Term> terms;
};

/// Nodes that move by one affine map, x = A X + b: four of them are its corners, the others are tied to these.
struct AffinePart {
  std::array<int, 4> corners;  // a positively oriented tetrahedron
  std::vector<Tie> ties;
};

/// `nodes` index `positions` [m]. The corners are far apart: no weight exceeds 1.01 in magnitude. Throws
/// InputError(where, …) unless four nodes span a volume.
AffinePart affine_part(const std::vector<int>& nodes, const std::vector<Vec3>& positions, const std::string& where);

class Ties {
 public:
  Ties() = default;
  /// free_index: free number of each node, −1 where prescribed.
  Ties(const std::vector<Tie>& ties, std::span<const int> free_index);

  bool any() const { return any_; }
  int unknowns() const { return unknowns_; }
  bool tied(int f) const { return any_ && terms(f).size() > 1; }
  /// Calls visit(unknown, weight) for the terms of x_f = Σ weight z_unknown of free node f.
  template <class Visit>
  void for_terms(int f, const Visit& visit) const {
    if (!any_) return visit(f, 1.0);
    for (const auto& [unknown, weight] : terms(f)) visit(unknown, weight);
  }
  Vector spread(const Vector& z) const;  // W z
  Vector gather(const Vector& f) const;  // Wᵀ f

  /// Wᵀ A W of any matrix over the free nodes.
  SparseMatrix reduced(const SparseMatrix& A) const;

 private:
  friend class TiedPattern;
  struct Term {
    int unknown;  // number of a block of z
    double weight;
  };
  /// The rows of W.
  std::span<const Term> terms(int f) const {
    const auto i = static_cast<std::size_t>(f);
    return {terms_.data() + start_[i], terms_.data() + start_[i + 1]};
  }
  bool any_ = false;
  int unknowns_ = 0;
  std::vector<std::size_t> start_{0};  // #free + 1 if there are ties
  std::vector<Term> terms_;
};

/// Maps matrices on a pattern of all free nodes to the pattern of z.
class TiedPattern {
 public:
  TiedPattern() = default;
  TiedPattern(const Ties& ties, const BlockPattern& nodes);

  const BlockPattern& pattern() const { return pattern_; }
  /// Adds Wᵀ A W to B. A: values on the nodes' pattern; B: values on pattern().
  void add_reduced(const double* A, double* B) const;

 private:
  struct Piece {  // weight times a block of A, into a block of B
    BlockPattern::Slot from, to;
    double weight;
  };

  BlockPattern pattern_;
  std::vector<Piece> pieces_, transposed_;
};

}  // namespace limber
