#include "limber/time/modal/complement_solver.hpp"

#include <Eigen/LU>
#include <algorithm>

namespace limber {
namespace {

using Status = SolveReport::Status;

constexpr double forgetting = .3;  // factor of the defect per solve, since the modes may have become more exact
/// For large systems the residual left by inexact modes may be this many times the tolerance: it amounts to a change of
/// the scheme of higher order (τ⁴ times the square of the modes' residual), not to noise.
constexpr double allowance = 1e4;
constexpr Index costly = 500;       // unknowns
constexpr double rounding = 4e-16;  // relative to the right-hand side: smaller residuals are noise

}  // namespace

void ComplementSolver::set_matrix(const SparseMatrix& A) {
  A_ = &A;
  base_.set_matrix(A);
}

SolveReport ComplementSolver::solve(const Vector& b, Vector& x, double tolerance) {
  if (modes_ && modes_->count() == modes_->space.global_size(b.size())) {  // the complement is empty
    x.setZero(b.size());
    return {};
  }
  SolveReport report;
  if (!modes_ || modes_->count() == 0) {
    report = base_.solve(b, x, tolerance);
  } else {
    report = iterate(b, x, tolerance);
    if (report.status == Status::not_converged) {
      const int before = report.iterations;
      report = bordered(base_, b, x, tolerance);
      report.iterations += before;
    }
  }
  if (report.status == Status::indefinite && policy_ == Indefinite::solve) return solve_by_lu(b, x, tolerance);
  return report;
}

/// Conjugate gradients in the complement, preconditioned by P A⁻¹Pᵀ. Inner solves are inexact, so directions are made
/// conjugate using the change of the residual. For a general A only the first iterate is tried.
SolveReport ComplementSolver::iterate(const Vector& b, Vector& x, double tolerance) {
  const Space& space = modes_->space;
  // Twice: if b is nearly modal, the first projection leaves a modal part as large as the complement.
  Vector r = modes_->complement_of_force(modes_->complement_of_force(b));
  const double noise = rounding * space.norm(b), start = space.norm(r), exact = tolerance * start,
               goal = std::max(
                   noise, std::min(space.global_size(b.size()) > costly ? allowance * exact : exact, 1e-3 * start));
  x.setZero(b.size());
  if (start <= noise) return {};
  const int most = symmetry_ == Symmetry::symmetric ? static_cast<int>(modes_->count()) + 10 : 1;
  SolveReport report;
  Vector y, p, Ap, before;
  double rho = 0, size = start;
  for (int k = 0; k < most; ++k) {
    double wanted = k == 0 ? tolerance : .5 * goal / size;
    if (k == 0 && defect_ > goal / start) wanted = std::max(tolerance, forgetting * defect_);
    const SolveReport solved = base_.solve(r, y, std::min(wanted, .1));
    report.iterations += solved.iterations;
    if (solved.status != Status::ok) return {solved.status, report.iterations, size / start};
    const Vector z = modes_->complement(y);
    const double turned = k == 0 ? 0 : space.dot(z, r - before) / rho;
    p = k == 0 ? z : Vector(z + turned * p);
    base_.multiply(p, Ap);
    Ap = modes_->complement_of_force(Ap);
    rho = space.dot(z, r);
    const double curvature = space.dot(p, Ap);
    if (symmetry_ == Symmetry::symmetric && !(curvature > 0))
      return {Status::indefinite, report.iterations, size / start};
    const double step = symmetry_ == Symmetry::symmetric ? space.dot(p, r) / curvature : 1;
    x += step * p;
    before = r;
    r -= step * Ap;
    const double left = space.norm(r);
    if (k == 0) defect_ = left / size;
    size = left;
    if (size <= goal) return {Status::ok, report.iterations, size / start};
  }
  return {Status::not_converged, report.iterations, size / start};
}

SolveReport ComplementSolver::bordered(LinearSolver& solver, const Vector& b, Vector& x, double tolerance) {
  const Index s = modes_->count();
  SolveReport report;
  const auto through = [&](const Vector& rhs, Vector& solution) {
    const auto one = solver.solve(rhs, solution, std::min(tolerance, 1e-12));
    report.iterations += one.iterations;
    report.residual = std::max(report.residual, one.residual);
    if (report.status == Status::ok) report.status = one.status;
  };
  Vector y, column;
  through(modes_->complement_of_force(b), y);
  Matrix W(b.size(), s);
  for (Index i = 0; i < s && report.status == Status::ok; ++i) {
    through(modes_->MX.col(i), column);
    W.col(i) = column;
  }
  if (report.status != Status::ok) return report;
  const Matrix capacitance = modes_->product(modes_->MX, W);
  x = modes_->complement(y - W * capacitance.partialPivLu().solve(modes_->coordinates(y)));
  if (!modes_->space.all_finite(x)) report.status = Status::singular;
  return report;
}

SolveReport ComplementSolver::solve_by_lu(const Vector& b, Vector& x, double tolerance) {
  const SparseMatrix full = symmetry_ == Symmetry::symmetric ? SparseMatrix(A_->selfadjointView<Eigen::Lower>()) : *A_;
  const auto lu = make_linear_solver("lu", Symmetry::general, nodes_);
  lu->set_matrix(full);
  if (!modes_ || modes_->count() == 0) return lu->solve(b, x, tolerance);
  return bordered(*lu, b, x, tolerance);
}

}  // namespace limber
