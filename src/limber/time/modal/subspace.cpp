#include "limber/time/modal/subspace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/linalg/block_algebra.hpp"
#include "limber/linalg/dense_eigen.hpp"
#include "limber/time/stage_matrix.hpp"

namespace limber {
namespace {

constexpr double rounding = 1e-11;       // of K x against |K| |x|
constexpr double refined = 1e-2;         // residual of modes that are refreshed every k steps
constexpr double refined_of_rule = 0.1;  // of the residual that made a refresh necessary

/// The lower triangle of ½(A + Aᵀ).
SparseMatrix symmetric_part(const SparseMatrix& A, bool symmetric) {
  if (symmetric) return A;
  const SparseMatrix transposed = A.transpose();
  return SparseMatrix((.5 * (A + transposed)).triangularView<Eigen::Lower>());
}

int mode_count(const ModalOptions& options, Index n) {
  if (!options.count) return static_cast<int>(std::min<Index>(ModalOptions::standard_count, n));
  if (*options.count < 0 || *options.count > n)
    throw InputError("method.modes",
                     fmt::format("{} is outside 1 to {}, the number of free degrees of freedom", *options.count, n));
  return *options.count;
}

}  // namespace

ModalSubspace::ModalSubspace(const ModalOptions& options, Index n, Looks looks)
    : options_(options),
      count_(mode_count(options, n)),
      most_steps_between_looks_(looks == Looks::each_step ? 1 : 8),
      tracker_(count_) {}

void ModalSubspace::begin_step(const System& system, const State& u0, double floor) {
  start_.at = u0;
  start_.f = system.linearize(u0, Definiteness::exact, start_.tangent);
  if (!start_.f.allFinite()) throw StepFailure("the force is not finite");
  if (count_ == 0) {  // a method without its modes: the base scheme
    basis_ = ModalBasis(system, {Vector(0), Matrix(system.size(), 0)});
    reduced_start_ = {Matrix(0, 0), Matrix(0, 0), {}};
    return;
  }
  floor_ = floor;
  tracker_.set_floor(floor);
  if (begun_ != u0.t || !looked_) {
    begun_.reset();
    prepare(system, u0);
  }
  require_above_floor();
  begun_ = u0.t;
}

void ModalSubspace::prepare(const System& system, const State& u0) {
  if (known_.X.size() != 0) basis_ = ModalBasis(system, std::exchange(known_, {}));
  if (basis_.count() == 0) return refresh(system, u0);
  ++steps_since_refresh_;
  if (options_.refresh.rule == Refresh::Rule::every && steps_since_refresh_ >= options_.refresh.every)
    return refresh(system, u0);
  if (looked_ && steps_since_refresh_ < next_look_) return;
  reduced_start_ = reduce(system, start_.tangent, stiff_);
  looked_ = true;
  next_look_ = steps_since_refresh_ + most_steps_between_looks_;
  require_above_floor();
  if (options_.refresh.rule == Refresh::Rule::residual && due(system)) refresh(system, u0);
}

/// XᵀKX has no λ below those of K, whatever X is.
void ModalSubspace::require_above_floor() const {
  if (!std::isfinite(floor_)) return;
  const Matrix& K = reduced_start_.K;
  if (symmetric_eigen(.5 * (K + K.transpose())).values[0] < floor_)
    throw StepFailure("modes: a mode grows more than e-fold in the step");
}

/// Whether the residual is too large; if not, looks again before it can be expected to have become so.
bool ModalSubspace::due(const System& system) {
  const double now = residual(system), most = options_.refresh.residual;
  if (now > most) return true;
  const double steps = .5 * (most / std::max(now, 1e-300) - 1) * static_cast<double>(steps_since_refresh_);
  next_look_ =
      steps_since_refresh_ + std::clamp(static_cast<long>(std::min(steps, 1e6)), 1L, most_steps_between_looks_);
  return false;
}

/// The error of the worst mode, after the best rotation among them.
double ModalSubspace::residual(const System& system) const {
  Matrix r = stiff_;
  subtract(basis_.MX, reduced_start_.K, r);
  const Vector lambda = reduced_start_.K.diagonal();
  return mode_errors(r, lambda, start_.tangent.K.diagonal(), system.mass().diagonal()).maxCoeff();
}

void ModalSubspace::refresh(const System& system, const State& u0) {
  const SparseMatrix K = symmetric_part(start_.tangent.K, system.symmetric()),
                     M = symmetric_part(system.mass(), system.symmetric());
  const Matrix rigid = system.rigid_motions(u0);
  const bool first = basis_.count() == 0;
  const Index before = first ? count_ : basis_.count();
  const double tolerance =
      options_.refresh.rule == Refresh::Rule::residual ? refined_of_rule * options_.refresh.residual : refined;
  Modes found =
      first ? tracker_.from_scratch(K, M, rigid) : tracker_.refine(K, M, rigid, {basis_.lambda, basis_.X}, tolerance);
  basis_ = ModalBasis(system, std::move(found));
  if (basis_.count() > before)
    notes_.push_back(fmt::format("t = {:.6g} s: {} modes instead of {}, so that no group of equal frequencies is cut",
                                 u0.t, basis_.count(), before));
  if (basis_.count() < before)
    notes_.push_back(fmt::format("t = {:.6g} s: {} modes instead of {}: a group of equal frequencies has parted", u0.t,
                                 basis_.count(), before));
  steps_since_refresh_ = 0;
  next_look_ = 1;
  looked_ = true;
  ++refreshes_;
  reduced_start_ = reduce(system, start_.tangent, stiff_);
}

ReducedTangent ModalSubspace::reduce(const System& system, const Tangent& T, Matrix& KX) {
  const Matrix& X = basis_.X;
  if (pattern_.take(T.K) == PatternChange::changed)
    rows_ = make_row_matrix(T.K, system.symmetric() ? Symmetry::symmetric : Symmetry::general);
  rows_->refresh(T.K);
  KX = rows_->multiply_block(X);
  ReducedTangent reduced{inner(X, KX), Matrix::Zero(X.cols(), X.cols()), {}};
  if (system.velocity_dependent()) {
    Matrix DX(X.rows(), X.cols());
    for (Index i = 0; i < X.cols(); ++i) DX.col(i) = limber::multiply(T.D, system.symmetric(), X.col(i));
    reduced.D = X.transpose() * DX;
  }
  // Rounding would otherwise let rigid motions exchange momentum with the other modes.
  if ((basis_.lambda.array() != 0).all()) return reduced;
  const double size = T.K.diagonal().cwiseAbs().maxCoeff();
  for (Index i = 0; i < X.cols(); ++i)
    if (basis_.lambda[i] == 0 && KX.col(i).norm() <= rounding * size * X.col(i).norm()) {
      reduced.K.col(i).setZero();
      reduced.K.row(i).setZero();
      reduced.null.push_back(i);
    }
  return reduced;
}

std::optional<ModalMemory> ModalSubspace::memory() const {
  if (known_.X.size() != 0) return ModalMemory{known_.lambda, known_.X, steps_since_refresh_};
  if (basis_.count() == 0) return std::nullopt;
  return ModalMemory{basis_.lambda, basis_.X, steps_since_refresh_};
}

void ModalSubspace::restore(ModalMemory memory) {
  clear();
  known_ = {std::move(memory.lambda), std::move(memory.X)};
  steps_since_refresh_ = memory.steps_since_refresh;
}

void ModalSubspace::clear() {
  tracker_.reset();
  basis_ = {};
  known_ = {};
  begun_.reset();
  looked_ = false;
  steps_since_refresh_ = 0;
}

}  // namespace limber
