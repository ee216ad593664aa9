#include "limber/gradient/equilibrium_derivative.hpp"

#include <cmath>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/gradient/stage_tangent.hpp"

namespace limber {
namespace {

/// A vector without any symmetry of a body.
Vector unsymmetric(Index size) {
  Vector x(size);
  for (Index i = 0; i < size; ++i) x[i] = 1 + .5 * std::sin(static_cast<double>(i));
  return x;
}

Index components_of(std::span<SystemVariation* const> variations) {
  Index sum = 0;
  for (const SystemVariation* variation : variations) sum += variation->size();
  return sum;
}

}  // namespace

EquilibriumDerivative::EquilibriumDerivative(System& system, State u, std::function<std::string()> what_is_free)
    : system_(system), u_(std::move(u)), what_is_free_(std::move(what_is_free)) {}

Matrix EquilibriumDerivative::solve(const Matrix& b, bool transposed) {
  ExactTangent tangent;
  tangent.set(system_, u_);
  StageMatrixSolver solver(system_, transposed ? Sense::transposed : Sense::forward);
  solver.set_stiffness(system_, tangent);
  constexpr double most = 1e13;  // by which a matrix that is not singular makes a vector longer, relative to 1/‖K‖
  const Vector probe = unsymmetric(system_.size());
  const SparseMatrix& K = tangent.parts().K;
  const double size = K.nonZeros() > 0 ? K.coeffs().abs().maxCoeff() : 0;
  Vector x;
  const bool solved = solver.solve(probe, x).status == SolveReport::Status::ok && x.allFinite();
  if (!solved || x.norm() * size > most * probe.norm()) {
    const std::string free = what_is_free_();
    throw StepFailure(
        "the stiffness at the equilibrium is singular, so that the equilibrium has no derivative: something can still "
        "move freely, or the load is the largest that can be carried (a limit point)" +
        (free.empty() ? "" : "; " + free));
  }
  return solver.solve(b);
}

CallEquation EquilibriumDerivative::equation() const {
  return {{ForceTerm{.of = ForceTerm::Of::all, .c = 1, .u = u_}}, Vector::Zero(system_.size())};
}

Vector EquilibriumDerivative::backwards(const Vector& by_q, std::span<SystemVariation* const> variations) {
  const Vector w = solve(by_q, true);
  const CallEquation f = equation();
  Vector powers = Vector::Zero(components_of(variations));
  Index first = 0;
  for (SystemVariation* variation : variations) {
    variation->add_powers(f, w, powers.segment(first, variation->size()));
    first += variation->size();
  }
  return powers;
}

Matrix EquilibriumDerivative::forwards(std::span<SystemVariation* const> variations) {
  const CallEquation f = equation();
  Matrix sources(system_.size(), components_of(variations));
  Index first = 0;
  for (SystemVariation* variation : variations) {
    sources.middleCols(first, variation->size()) = variation->sources(f);
    first += variation->size();
  }
  return solve(sources, false);
}

}  // namespace limber
