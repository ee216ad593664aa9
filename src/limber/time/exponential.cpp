#include "limber/time/exponential.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <optional>

#include "limber/core/errors.hpp"
#include "limber/core/extremes.hpp"
#include "limber/linalg/exponential/second_order_flow.hpp"
#include "limber/linalg/gathered.hpp"
#include "limber/linalg/pattern.hpp"
#include "limber/time/as_step_failure.hpp"
#include "limber/time/stage_matrix.hpp"
#include "limber/time/time_derivative.hpp"

namespace limber {
namespace {

constexpr const char* linearised = "the linearised motion";
constexpr Index small = 40;  // unknowns: below this a dense exponential of (d, ḋ, t) is faster than iterating

Symmetry symmetry(System& system) { return system.symmetric() ? Symmetry::symmetric : Symmetry::general; }

struct RayleighFit {
  double alpha, beta;
};

/// α and β with D = αK + βM to rounding, if they exist. All three matrices have one pattern.
std::optional<RayleighFit> rayleigh_fit(const Space& space, const SparseMatrix& mass, const Tangent& T) {
  using Values = Eigen::Map<const Vector>;
  const SparseMatrix M = on_pattern_of(T.K, mass);
  const Values m(M.valuePtr(), M.nonZeros()), k(T.K.valuePtr(), M.nonZeros()), d(T.D.valuePtr(), M.nonZeros());
  // Sums over the entries of all processes, each with its own.
  const auto dot = [&](const Values& x, const Values& y) { return space.sum(x.dot(y)); };    // local: summed
  const auto norm = [&](const Values& x) { return std::sqrt(space.sum(x.squaredNorm())); };  // local: summed
  const auto most = [&](const auto& x) { return space.max(largest_magnitude(x)); };
  const double size = most(d);
  if (size == 0) return RayleighFit{0, 0};
  // Least squares in the directions of K and M, or of M alone if K is a multiple of it.
  const double nk = norm(k), nm = norm(m), b = dot(m, d) / nm;
  const double overlap = nk > 0 ? dot(k, m) / (nk * nm) : 1, rest = 1 - overlap * overlap;
  double alpha = 0, beta = b / nm;
  if (rest > 1e-12) {
    const double a = dot(k, d) / nk;
    alpha = (a - overlap * b) / (rest * nk);
    beta = (b - overlap * a) / (rest * nm);
  }
  const auto part = [&](double c, const Values& A) { return std::abs(c) * most(A) > 1e-13 * size ? c : 0; };
  const RayleighFit found{part(alpha, k), part(beta, m)};
  const double left = most(d - found.alpha * k - found.beta * m);
  if (left > 1e-12 * size) return std::nullopt;
  return found;
}

}  // namespace

void Exponential::count(const Phi1Report& report) {
  counts_.products += report.products;
  counts_.substeps += report.substeps;
}

State Exponential::advance(System& system, const State& u, double h) {
  at_.at = u;
  at_.f = system.linearize(u, Definiteness::exact, at_.tangent);
  const Space& space = system.space();
  if (!space.all_finite(at_.f)) throw StepFailure("the force is not finite");
  const Vector f_t = system.time_dependent() ? force_rate(system, u, at_.f, h) : Vector::Zero(system.size());
  if (space.global_size(system.size()) <= small) return dense(system, f_t, h);
  if (!space.all(pattern_.take(at_.tangent.K) == PatternChange::same)) {
    stiffness_ = make_row_matrix(at_.tangent.K, symmetry(system), space);
    damping_ = make_row_matrix(at_.tangent.K, symmetry(system), space);
  }
  stiffness_->refresh(at_.tangent.K);
  if (!system.velocity_dependent()) {
    if (system.symmetric()) return by_lanczos(system, f_t, h, 0, 0);
  } else {
    damping_->refresh(at_.tangent.D);
    if (system.symmetric() && !at_.tangent.low_rank.any())
      if (const auto fit = rayleigh_fit(space, system.mass(), at_.tangent); fit && fit->alpha >= 0)
        return by_lanczos(system, f_t, h, fit->alpha, fit->beta);
  }
  return by_arnoldi(system, f_t, h);
}

State Exponential::dense(System& system, const Vector& f_t, double h) const {
  const Space& space = system.space();
  const Index n = space.global_size(system.size());
  const auto full = [&](const SparseMatrix& A) {
    const Matrix whole = gather_matrix(space, A, symmetry(system));
    return system.symmetric() ? Matrix(whole.selfadjointView<Eigen::Lower>()) : whole;
  };
  const Eigen::PartialPivLU<Matrix> M(full(system.mass()));
  Matrix J = Matrix::Zero(2 * n + 1, 2 * n + 1);
  J.block(0, n, n, n).setIdentity();
  Matrix K = full(at_.tangent.K);
  const LowRank& more = at_.tangent.low_rank;
  if (more.any()) {
    const Matrix U = gather_rows(space, more.U);
    K += U * more.c.asDiagonal() * U.transpose();
  }
  J.block(n, 0, n, n) = -M.solve(K);
  if (system.velocity_dependent()) J.block(n, n, n, n) = -M.solve(full(at_.tangent.D));
  J.block(n, 2 * n, n, 1) = M.solve(space.allgather(f_t));
  Vector F(2 * n + 1);
  F << space.allgather(at_.at.v), M.solve(space.allgather(at_.f)), 1;
  const Vector x = h * as_step_failure(linearised, [&] { return dense_phi1(J, F, h); });
  if (!x.allFinite())  // local: the same on all processes
    throw StepFailure("the exponential of the linearised motion is not finite");
  return {at_.at.q + space.restrict(x.head(n)), at_.at.v + space.restrict(x.segment(n, n)), at_.at.t + h};
}

State Exponential::by_lanczos(System& system, const Vector& f_t, double h, double alpha, double beta) {
  const Space& space = system.space();
  const auto on_whole = [&](const LinearOperator& apply) -> LinearOperator {
    if (!space.shared()) return apply;
    return [&space, apply](const Vector& x, Vector& y) {
      Vector here;
      apply(space.restrict(x), here);
      y = space.allgather(here);
    };
  };
  const SecondOrderOperator op{on_whole([&](const Vector& x, Vector& y) {
                                 y.resize(x.size());
                                 stiffness_->multiply(x.data(), y.data());
                                 at_.tangent.low_rank.add_product(x, y);
                               }),
                               on_whole([&](const Vector& x, Vector& y) { y = system.apply_mass(x); }),
                               on_whole([&](const Vector& x, Vector& y) { y = system.solve_mass(x); }), alpha, beta};
  // f already contains −D v, while the flow counts D ḋ from ḋ = 0.
  Vector f = at_.f;
  if (alpha != 0 || beta != 0) {
    Vector resisted(f.size());
    damping_->multiply(at_.at.v.data(), resisted.data());
    f += resisted;
  }
  Phi1Report report;
  const SecondOrderMotion moved = as_step_failure(linearised, [&] {
    return second_order_flow(op, {space.allgather(at_.at.v), space.allgather(f), space.allgather(f_t)}, h, options_,
                             report);
  });
  count(report);
  return {at_.at.q + space.restrict(moved.d), space.restrict(moved.rate), at_.at.t + h};
}

/// x = (ω d, ḋ, σt). With ω of the order of the largest frequency, both halves have similar size and J is as close to
/// normal as possible; σ gives the last entry a similar size.
State Exponential::by_arnoldi(System& system, const Vector& f_t, double h) {
  const Space& space = system.space();
  const Index n = space.global_size(system.size());
  Vector k = at_.tangent.K.diagonal(), m = system.mass().diagonal();
  space.add_up(k);
  space.add_up(m);
  if (at_.tangent.low_rank.any()) k += at_.tangent.low_rank.diagonal();
  const double omega = std::max(std::sqrt(space.max_abs(k.cwiseQuotient(m))), 1 / std::abs(h));
  Vector F(2 * n + 1);
  F << omega * space.allgather(at_.at.v), space.allgather(system.solve_mass(at_.f)), 0;
  const Vector g_t = space.allgather(system.solve_mass(f_t));
  const double size = F.norm();  // local: whole on each process
  F[2 * n] = size > 0 ? size : 1;
  const double sigma = F[2 * n];
  Vector position, rate, force(system.size()), damped(system.size());
  const LinearOperator J = [&](const Vector& x, Vector& y) {
    y.resize(2 * n + 1);
    position = space.restrict(x.head(n) / omega);
    rate = space.restrict(x.segment(n, n));
    stiffness_->multiply(position.data(), force.data());
    at_.tangent.low_rank.add_product(position, force);
    if (system.velocity_dependent()) {
      damping_->multiply(rate.data(), damped.data());
      force += damped;
    }
    y.head(n) = omega * x.segment(n, n);
    y.segment(n, n) = x[2 * n] / sigma * g_t - space.allgather(system.solve_mass(force));
    y[2 * n] = 0;
  };
  Phi1Report report;
  const Vector x = h * as_step_failure(linearised, [&] { return phi1(J, F, h, options_, report); });
  count(report);
  return {at_.at.q + space.restrict(x.head(n) / omega), at_.at.v + space.restrict(x.segment(n, n)), at_.at.t + h};
}

}  // namespace limber
