#pragma once  // internal
/// K, D and the stage matrix A = M + τᵥ D + τᵥ τ_q K at a state, exact: products and solves, transposed on request.

#include <memory>
#include <optional>

#include "limber/gradient/variation.hpp"
#include "limber/time/modal/complement_solver.hpp"
#include "limber/time/solver_bank.hpp"
#include "limber/time/stage_matrix.hpp"

namespace limber {

/// Friction as it is at u: coupled, with its exact tangent.
void settle_friction(System& system, const State& u);
/// A part of the forces at u, with friction as it is there.
Vector force_of(System& system, ForceTerm::Of of, const State& u);

enum class Sense { forward, transposed };

/// A tangent at a state.
class ExactTangent {
 public:
  /// Does nothing if it is already that of this system at this state.
  void set(System& system, const State& u);
  /// The next set() computes it again; products stay possible.
  void forget() { of_ = nullptr; }

  // Products with vectors or several columns.
  Matrix stiffness(const Matrix& x, Sense sense = Sense::forward) const;
  Matrix damping(const Matrix& x, Sense sense = Sense::forward) const;

  const Tangent& parts() const { return tangent_; }

 private:
  Matrix product(const SparseMatrix& S, const Matrix& x, Sense sense) const;

  const System* of_ = nullptr;
  bool symmetric_ = true, damped_ = false;
  State at_;
  Tangent tangent_;
};

/// Solves with A, for a sequence of stages, or with K.
class StageMatrixSolver {
 public:
  StageMatrixSolver(System& system, Sense sense);

  void set(System& system, const ExactTangent& tangent, double tau_q, double tau_v);
  /// K alone.
  void set_stiffness(System& system, const ExactTangent& tangent);
  /// Throws StepFailure.
  Matrix solve(const Matrix& b);
  SolveReport solve(const Vector& b, Vector& x);

 private:
  void take(System& system, const ExactTangent& tangent, double tau_q, double tau_v);

  Sense sense_;
  Symmetry symmetry_;
  SolverBank bank_;
  SparseMatrix A_;
  Correction correction_;
  double defect_ = 0;
  System* system_ = nullptr;
  std::optional<ComplementSolver> linear_;
};

}  // namespace limber
