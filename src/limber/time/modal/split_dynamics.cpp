#include "limber/time/modal/split_dynamics.hpp"

#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/time/stage_matrix.hpp"
#include "limber/time/time_derivative.hpp"

namespace limber {

bool SplitDynamics::is_start(const State& u) const {
  const State& start = modes_.start().at;
  return u.t == start.t && u.q == start.q && u.v == start.v;
}

State SplitDynamics::rate(const State& u) {
  if (!is_start(u)) return base_.rate(u);
  return {u.v, system_.solve_mass(modes_.start().f), 1};
}

State SplitDynamics::solve(const Stage& s) {
  const double span = s.t - s.at.t;
  const bool last = s.t > t_end_ - 1e-9 * std::abs(span);
  if (modes_.basis().count() == 0 || (rule_ == Splitting::printed && !last)) return base_.solve(s);

  Linearization own;
  const Linearization* at = &modes_.start();
  ReducedTangent reduced;
  if (is_start(s.at)) {
    reduced = modes_.reduced_start();
  } else {
    own.at = s.at;
    own.f = system_.linearize(s.at, Definiteness::exact, own.tangent);
    if (!own.f.allFinite()) throw StepFailure("the force is not finite");
    reduced = modes_.reduce(system_, own.tangent);
    at = &own;
  }
  const ModalBasis& X = modes_.basis();
  const Vector rate = X.coordinates(s.at.v);
  Vector force = X.coordinates_of_force(at->f);
  if (rule_ != Splitting::printed) {
    Vector c = coupling(*at, span) + reduced.K * rate;
    for (const Index i : reduced.null) c[i] = 0;
    force += span / 2 * c;
  }
  const ModalMotion motion(std::move(reduced.K), std::move(reduced.D), modes_.negative());
  ModalChange moved = motion.after(span, rate, force);
  if (!moved.a.allFinite() || !moved.b.allFinite())
    throw StepFailure("a mode with negative stiffness grows beyond all bounds in this step");

  Stage split = s;
  split.modes = &X;
  if (!system_.time_dependent()) split.known = at;
  if (rule_ == Splitting::printed) {
    moved.a *= s.tau_q / span;
    moved.b *= s.tau_v / span;
  } else {
    if (s.star.q != s.at.q) moved.a -= X.coordinates(s.star.q - s.at.q);
    if (s.star.v != s.at.v) moved.b -= X.coordinates(s.star.v - s.at.v);
  }
  split.star.q += X.combined(moved.a);
  split.star.v += X.combined(moved.b);
  return base_.solve(split);
}

/// Xᵀ of −K v, and in second-order methods of − D P M⁻¹f + ∂f/∂t.
Vector SplitDynamics::coupling(const Linearization& at, double span) const {
  const ModalBasis& X = modes_.basis();
  const bool symmetric = system_.symmetric();
  Vector c = -multiply(at.tangent.K, symmetric, at.at.v);
  if (rule_ == Splitting::second_order && system_.velocity_dependent())
    c -= multiply(at.tangent.D, symmetric, X.complement(system_.solve_mass(at.f)));
  if (rule_ == Splitting::second_order && system_.time_dependent()) c += force_rate(system_, at.at, at.f, span);
  return X.coordinates_of_force(c);
}

}  // namespace limber
