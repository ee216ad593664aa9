#include "limber/gradient/mode_changes.hpp"

#include <optional>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/linalg/dense_eigen.hpp"
#include "limber/linalg/solvers/linear_solver.hpp"
#include "limber/model/turned.hpp"
#include "limber/time/stage_matrix.hpp"

namespace limber {
namespace {

/// (K − λM) x = b in the complement of the modes, where it is positive definite, by conjugate gradients that are
/// preconditioned with K + σM. K is the symmetric part of the stiffness.
class ComplementOfModes {
 public:
  ComplementOfModes(System& system, const ModalBasis& modes, const State& u, double sigma)
      : system_(system), modes_(modes), sigma_(sigma) {
    system.tangent(u, Definiteness::exact, tangent_);
    precondition();
  }

  Vector solve(const Vector& right, double lambda) {
    constexpr double most_shift = 1e6;
    for (const double least = sigma_; sigma_ < most_shift * least; sigma_ *= 4, precondition())
      if (const auto x = try_to_solve(right, lambda)) return *x;
    throw StepFailure("the stiffness matrix at which modes were found is indefinite");
  }
  Matrix stiff(const Matrix& X) const { return modal_stiffness(system_, tangent_, X); }

 private:
  void precondition() {
    constexpr double no_damping = 1e-9;
    combine(system_, tangent_, 1 / (no_damping * sigma_), no_damping, A_);
    if (!system_.symmetric()) {
      const SparseMatrix transposed = A_.transpose();
      lower_ = SparseMatrix((.5 * (A_ + transposed)).triangularView<Eigen::Lower>());
    }
    solver_ = make_linear_solver("auto", Symmetry::symmetric, system_.traits().nodes);
    solver_->set_matrix(system_.symmetric() ? A_ : lower_);
  }

  /// Nothing where the preconditioner is indefinite.
  std::optional<Vector> try_to_solve(const Vector& right, double lambda) {
    constexpr double tolerance = 1e-10, rounding = 1e-15;
    constexpr int most = 500;
    // Projected twice: what is left of a right-hand side that is nearly modal may be as small as the error of one.
    Vector r = modes_.complement_of_force(modes_.complement_of_force(right)), x = Vector::Zero(r.size()), p = x;
    const double goal = std::max(tolerance * r.norm(), rounding * right.norm());
    double rho = 0;
    for (int k = 0; r.norm() > goal; ++k) {
      if (k == most) throw StepFailure("the change of the modes of a hybrid was not found");
      Vector y;
      if (solver_->solve(r, y, 1e-12).status != SolveReport::Status::ok) return std::nullopt;
      const Vector z = modes_.complement(y);
      const double before = std::exchange(rho, r.dot(z));
      p = k == 0 ? z : Vector(z + rho / before * p);
      const Vector Ap =
          modes_.complement_of_force(modal_stiffness(system_, tangent_, p) - lambda * system_.apply_mass(p));
      const double curvature = p.dot(Ap);
      if (!(curvature > 0)) throw StepFailure("the modes of a hybrid are not the lowest ones: it has no derivative");
      const double step = rho / curvature;
      x += step * p;
      r -= step * Ap;
    }
    return x;
  }
  System& system_;
  const ModalBasis& modes_;
  double sigma_;
  std::unique_ptr<LinearSolver> solver_;
  Tangent tangent_;
  SparseMatrix A_, lower_;  // of the preconditioner; the latter where K is not symmetric
};

}  // namespace

Matrix modal_stiffness(const System& system, const Tangent& tangent, const Matrix& X) {
  Matrix KX(X.rows(), X.cols());
  for (Index c = 0; c < X.cols(); ++c) KX.col(c) = multiply_stiffness(system, tangent, X.col(c));
  if (system.symmetric()) return KX;
  const Matrix transposed = tangent.K.transpose() * X, plain = tangent.K * X;
  return KX + .5 * (transposed - plain);
}

void ModeChanges::begin_step(System& system, const HeldModes& modes, const State& u, const Matrix& change_of_q,
                             const std::function<Products(Index column, const Matrix& X)>& products) {
  if (std::exchange(kept_, modes.kept) == modes.kept || !kept_) return;
  const ModalBasis& found = kept_->found;
  const bool here = found.count() > 0 && kept_->at == u.q && found.count() < u.q.size();
  for (Change& change : changes_) change = {Matrix::Zero(found.X.rows(), found.X.cols()), Vector::Zero(u.q.size())};
  if (!here) return;
  const double sigma = found.lambda.cwiseAbs().maxCoeff() + 1e-300;
  ComplementOfModes complement(system, found, u, sigma);
  const DenseEigen eigen = symmetric_eigen(found.X.transpose() * complement.stiff(found.X));
  const Matrix X = found.X * eigen.vectors;
  for (std::size_t j = 0; j < changes_.size(); ++j) {
    const auto column = static_cast<Index>(j);
    const Products by = products(column, X);
    Matrix change(X.rows(), X.cols());
    for (Index i = 0; i < X.cols(); ++i) {
      const double lambda = eigen.values[i];
      change.col(i) = complement.solve(lambda * by.mass.col(i) - by.stiffness.col(i), lambda);
    }
    changes_[j] = {change * eigen.vectors.transpose(), change_of_q.col(column)};
  }
}

std::shared_ptr<const HeldModes> ModeChanges::at(const System& system, const HeldModes& modes, Index column,
                                                 double factor, const Vector& q) const {
  auto there = std::make_shared<HeldModes>();
  there->corrected = modes.corrected;
  if (!kept_ || modes.columns.empty()) return there;
  const Change& change = changes_[static_cast<std::size_t>(column)];
  Matrix X = kept_->found.X + factor * change.X;
  if (modes.turned) X = turned(system, kept_->at + factor * change.at, q, X);
  there->basis.space = modes.basis.space;
  there->basis.lambda = modes.basis.lambda;
  there->basis.X = X(Eigen::all, modes.columns);
  return there;
}

}  // namespace limber
