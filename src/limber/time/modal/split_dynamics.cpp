#include "limber/time/modal/split_dynamics.hpp"

#include <cmath>

#include "limber/core/errors.hpp"

namespace limber {

bool SplitDynamics::is_start(const State& u) const {
  const State& start = modes_.start().at;
  return u.t == start.t && system_.space().all(u.q == start.q && u.v == start.v);
}

State SplitDynamics::rate(const State& u) {
  if (!is_start(u)) return base_.rate(u);
  return {u.v, system_.solve_mass(modes_.start().f), 1};
}

State SplitDynamics::solve(const Stage& s) {
  const double span = s.t - s.at.t;
  const bool last = s.t > t_end_ - 1e-9 * std::abs(span);
  if (rule_ == Splitting::printed && !last) return base_.solve(s);
  if (modes_.basis().count() == 0) {
    Stage whole = s;
    if (!system_.time_dependent() && is_start(s.at)) whole.known = &modes_.start();
    return base_.solve(whole);
  }

  Linearization own;
  const Linearization* at = &modes_.start();
  ReducedTangent reduced;
  if (is_start(s.at)) {
    reduced = modes_.reduced_start();
  } else {
    own.at = s.at;
    own.f = system_.linearize(s.at, Definiteness::exact, own.tangent);
    if (!system_.space().all_finite(own.f)) throw StepFailure("the force is not finite");
    reduced = modes_.reduce(system_, own.tangent);
    at = &own;
  }
  const ModalBasis& X = modes_.basis();
  const ModalPrediction prediction(system_, X, modes_.negative(), rule_, *at, at->f, std::move(reduced), span);
  ModalChange moved = prediction.change();

  Stage split = s;
  split.modes = &X;
  if (!system_.time_dependent()) split.known = at;
  if (rule_ == Splitting::printed) {
    moved.a *= s.tau_q / span;
    moved.b *= s.tau_v / span;
  } else {
    const Space& space = system_.space();
    if (!space.all(s.star.q == s.at.q)) moved.a -= X.coordinates(s.star.q - s.at.q);
    if (!space.all(s.star.v == s.at.v)) moved.b -= X.coordinates(s.star.v - s.at.v);
  }
  split.star.q += X.combined(moved.a);
  split.star.v += X.combined(moved.b);
  State u = base_.solve(split);
  if (rule_ == Splitting::printed || !modes_.corrected()) return u;
  const ModalChange missed = prediction.missed(u);
  u.q += X.combined(missed.a);
  u.v += X.combined(missed.b);
  return u;
}

}  // namespace limber
