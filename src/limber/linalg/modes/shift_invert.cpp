#include "limber/linalg/modes/shift_invert.hpp"

#include <cmath>

#include "limber/linalg/gathered.hpp"

namespace limber {
namespace {

constexpr Index analysed_modes = 2000000;  // unknowns: above, even the analysis of a factor takes too long

}  // namespace

std::unique_ptr<Factor> ShiftInvert::make_factor(const SparseMatrix& A) const {
  if (space_.shared() || A.cols() >= rough_from_)
    if (auto cycle = make_multigrid_cycle(A, positions_, space_)) return cycle;
  if (A.cols() <= analysed_modes || A.cols() % 3 != 0) {
    auto factor = make_best_factor(A, Symmetry::symmetric);
    factor->analyze(A);
    if (factor->cost().entries <= most_entries_ || A.cols() % 3 != 0) return factor;
  }
  return make_multigrid_factor(positions_);
}

void ShiftInvert::forget() {
  made_ = false;
  factor_.reset();
  pattern_ = {};
}

void ShiftInvert::set_space(const Space& space) {
  if (space.shared() != space_.shared()) forget();
  space_ = space;
}

void ShiftInvert::require_above_floor(double lambda) const {
  if (lambda < floor_) throw BelowFloor();
}

SolveReport::Status ShiftInvert::factorize(const SparseMatrix& K, const SparseMatrix& M, double sigma) {
  SparseMatrix A = K - sigma * M;
  A.makeCompressed();
  if (!space_.all(pattern_.take(A) == PatternChange::same)) factor_ = make_factor(A);
  sigma_ = sigma;
  const auto status = factor_->factorize(A);
  made_ = status == SolveReport::Status::ok;
  return status;
}

void ShiftInvert::make(const SparseMatrix& K, const SparseMatrix& M) {
  made_ = false;
  Vector k = K.diagonal(), m = M.diagonal();
  space_.add_up(k);
  space_.add_up(m);
  if (!space_.all((m.array() > 0).all())) throw StepFailure("modes: the mass matrix is not positive definite");
  top_ = std::max(space_.max_abs(k.cwiseQuotient(m)), 1e-300);
  if (!std::isfinite(top_)) throw StepFailure("modes: the stiffness or the mass matrix is not finite");
  constexpr double first = 1e-8, last = 1e4, growth = 1e3;
  for (double relative = first; relative <= last; relative *= growth) {
    const double sigma = std::max(-relative * top_, floor_);
    if (factorize(K, M, sigma) == SolveReport::Status::ok) return;
    if (sigma == floor_) throw BelowFloor();
  }
  throw StepFailure("modes: the stiffness matrix shifted by the mass matrix is not positive definite");
}

void ShiftInvert::try_shift(const SparseMatrix& K, const SparseMatrix& M, double sigma) {
  const double before = sigma_;
  if (factorize(K, M, sigma) != SolveReport::Status::ok) factorize(K, M, before);
}

Matrix ShiftInvert::operator*(const Eigen::Ref<const Matrix>& Y) const {
  Matrix Z(Y.rows(), Y.cols());
  if (space_.shared())  // a difference of large vectors need not be consistent, to its own accuracy
    factor_->solve(as_owners_have(space_, Y), Z);
  else
    factor_->solve(Y, Z);
  return Z;
}

}  // namespace limber
