#include "limber/gradient/stage_tangent.hpp"

#include <fmt/format.h>

#include "limber/core/errors.hpp"
#include "limber/linalg/solvers/corrected_solver.hpp"
#include "limber/linalg/symmetric_product.hpp"

namespace limber {

void settle_friction(System& system, const State& u) {
  if (system.lag() != Lag::each_iterate) return;
  system.contact()->begin_iterates();
  // The first call takes over the sliding velocities of u, the second the forces that belong to them.
  for (int k = 0; k < 2; ++k) system.update_lagged(u);
}

Vector force_of(System& system, ForceTerm::Of of, const State& u) {
  settle_friction(system, u);
  ContactPart* contact = system.contact();
  if (of == ForceTerm::Of::all || (!contact && of == ForceTerm::Of::smooth)) return system.force(u);
  return of == ForceTerm::Of::smooth ? contact->smooth().force(u) : contact->forces().force(u);
}

void ExactTangent::set(System& system, const State& u) {
  const Index masses = system.mass().nonZeros();  // the pattern grows where things meet
  const bool same_pattern = masses == system.size() || masses == tangent_.K.nonZeros();
  if (of_ == &system && same_pattern && at_.t == u.t && at_.q == u.q && at_.v == u.v) return;
  settle_friction(system, u);
  system.tangent(u, Definiteness::exact, tangent_);
  of_ = &system;
  symmetric_ = system.symmetric();
  damped_ = system.velocity_dependent();
  at_ = {u.q, u.v, u.t};
}

Matrix ExactTangent::product(const SparseMatrix& S, const Matrix& x, Sense sense) const {
  if (symmetric_) {
    Matrix y(x.rows(), x.cols());
    for (Index k = 0; k < x.cols(); ++k) y.col(k) = symmetric_product(S, x.col(k));
    return y;
  }
  if (sense == Sense::transposed) return S.transpose() * x;
  return S * x;
}

Matrix ExactTangent::stiffness(const Matrix& x, Sense sense) const {
  Matrix y = product(tangent_.K, x, sense);
  tangent_.low_rank.add_product(x, y);
  if (const SparseMatrix& N = tangent_.unsymmetric; N.nonZeros() > 0) {
    if (sense == Sense::transposed)
      y += N.transpose() * x;
    else
      y += N * x;
  }
  return y;
}

Matrix ExactTangent::damping(const Matrix& x, Sense sense) const {
  if (!damped_) return Matrix::Zero(x.rows(), x.cols());
  return product(tangent_.D, x, sense);
}

StageMatrixSolver::StageMatrixSolver(System& system, Sense sense)
    : sense_(sense),
      symmetry_(system.symmetric() ? Symmetry::symmetric : Symmetry::general),
      bank_("auto", symmetry_, system.traits().nodes) {}

void StageMatrixSolver::set(System& system, const ExactTangent& tangent, double tau_q, double tau_v) {
  combine(system, tangent.parts(), tau_q, tau_v, A_);
  take(system, tangent, tau_q, tau_v);
}

void StageMatrixSolver::set_stiffness(System& system, const ExactTangent& tangent) {
  A_ = tangent.parts().K;
  take(system, tangent, 1, 1);
}

/// A_ is set.
void StageMatrixSolver::take(System& system, const ExactTangent& tangent, double tau_q, double tau_v) {
  system_ = &system;
  if (symmetry_ == Symmetry::general && sense_ == Sense::transposed) A_ = SparseMatrix(A_.transpose());
  correction_ = correction(tangent.parts(), tau_q, tau_v);
  if (sense_ == Sense::transposed && correction_.N.nonZeros() > 0)
    correction_.N = SparseMatrix(correction_.N.transpose());
  linear_.emplace(bank_.at(tau_q, tau_v), nullptr, symmetry_, Indefinite::solve, defect_, system.traits().nodes);
  linear_->set_matrix(A_);
}

SolveReport StageMatrixSolver::solve(const Vector& b, Vector& x) {
  constexpr double tolerance = 1e-12, enough = 1e-9;  // where rounding leaves no less
  CorrectedSolver corrected(*linear_, correction_, system_->space());
  const SolveReport report = corrected.solve(b, x, tolerance);
  return report.status == SolveReport::Status::ok ? report : corrected.solve(b, x, enough);
}

Matrix StageMatrixSolver::solve(const Matrix& b) {
  Matrix x(b.rows(), b.cols());
  for (Index k = 0; k < b.cols(); ++k) {
    x.col(k).setZero();
    if (b.col(k).isZero(0)) continue;
    Vector y;
    const SolveReport report = solve(b.col(k), y);
    if (report.status != SolveReport::Status::ok)
      throw StepFailure(fmt::format("the linear system of a gradient was not solved ({} iterations, residual {:.1e})",
                                    report.iterations, report.residual),
                        report.iterations, report.residual);
    x.col(k) = y;
  }
  return x;
}

}  // namespace limber
