#pragma once
/// The modes of K x = λ M x for a system in one part and a slowly changing K. Block Davidson iterations: Rayleigh-Ritz
/// on the span of the previous modes and of all corrections B(KX − MXΛ), where B is the factor of an older K − σM or,
/// for large bodies, a multigrid cycle for it.

#include <cstdint>
#include <random>

#include "limber/linalg/block_algebra.hpp"
#include "limber/linalg/modes/modes.hpp"
#include "limber/linalg/modes/shift_invert.hpp"

namespace limber {

/// The error of modes in the energy norm: (rᵀ W r / λ)^½ for r = Kx − λMx, with W = 1/max(diag K, λ_top diag M) in
/// place of K⁻¹, and λ at least λ_top/100. Its square is of the order of the relative error of λ. In the norm of M⁻¹
/// the residual of a stiff body is large although its modes hardly change; K⁻¹ accounts for the stiffness.
Vector mode_errors(const Matrix& residual, const Vector& lambda, const Vector& stiffness_diagonal,
                   const Vector& mass_diagonal, const Space& space = serial_space());

class ConnectedTracker {
 public:
  struct Counts {  // since construction
    long from_scratch = 0, refinements = 0, iterations = 0;
  };

  /// Residual at which eigenvalues are known far more accurately than the gap of a cluster.
  static constexpr double resolved = 1e-4;

  /// The s lowest modes in whole clusters; retains the factor of K − σM. Throws as search_modes does.
  Modes from_scratch(const SparseMatrix& K, const SparseMatrix& M, const Matrix& rigid, int s);

  /// As many modes as `start` has, with mode_errors of at most `tolerance`. Exact null vectors among `rigid` are
  /// treated as in lowest_modes. A few vectors above the modes are tracked too, and a random one is added each time, so
  /// that a mode that descends from above replaces the highest one. The s lowest modes are computed from scratch if
  /// `start` does not fit K, if there are few unknowns, if the set would split a cluster, or if the iteration converges
  /// too slowly even with a factor of this K (also if the tolerance is below rounding).
  Modes refine(const SparseMatrix& K, const SparseMatrix& M, const Matrix& rigid, const Modes& start, double tolerance,
               int s);

  /// Throws BelowFloor if an eigenvalue lies below this bound.
  void set_floor(double lambda) {
    exact_.set_floor(lambda);
    rough_.set_floor(lambda);
  }
  /// See lowest_modes; must stay valid as long as this object.
  void set_positions(const Vector* positions) {
    exact_.set_positions(positions);
    rough_.set_positions(positions);
  }
  /// The space of the unknowns. If several processes share them, K and M are those of each process's own elements,
  /// vectors have the rows it holds, and all processes search together.
  void set_space(const Space& space);
  /// From this number of unknowns on, modes are refined with multigrid instead of a factor.
  void set_large(Index unknowns) { large_ = unknowns; }
  /// Drops the factor and the vectors above the modes: later results depend on the arguments only.
  void reset();
  Counts counts() const { return counts_; }

 private:
  static constexpr std::uint64_t seed = 20240229;
  struct Block;
  enum class First { no, yes };
  enum class Outcome { converged, too_slow, cuts_cluster };

  ShiftInvert& op() { return refined_roughly_ ? rough_ : exact_; }
  const ShiftInvert& op() const { return refined_roughly_ ? rough_ : exact_; }
  bool begin(const Modes& start, const Matrix& R, Block& block) const;
  bool converge(Block& block, const Matrix& R, double tolerance, First first);
  Outcome iterate(Block& block, const Matrix& R, double tolerance);
  void correct(Block& block, const Matrix& R, double tolerance, First first);
  Matrix random_block(Index columns);
  void make_factor(const SparseMatrix& K, const SparseMatrix& M, Index columns);
  void judge_factor(long iterations);

  Space space_;
  Matrix guards_;  // Ritz vectors above the modes, #n × (0 to 4)
  std::mt19937_64 random_{seed};
  Index large_ = 10000;
  ShiftInvert exact_, rough_;  // rough_: for refining large systems
  bool refined_roughly_ = false;
  BlockProduct K_, M_;
  struct {
    double spent = 0;      // on it and all its refinements, in iterations
    long refined = 0;      // refinements with it
    bool present = false;  // it belongs to the present K
  } factor_;
  Counts counts_;
};

}  // namespace limber
