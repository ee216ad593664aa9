#include "limber/solve/equilibrium.hpp"

#include <cmath>
#include <limits>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

/// The norm of the force at u; NaN if the force cannot be evaluated, f is then zero.
double size_of_force(System& system, const State& u, Vector& f) {
  if (!failure_of([&] { f = system.force(u); })) return system.space().norm(f);
  f = Vector::Zero(u.q.size());
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

AppliedLoad::AppliedLoad(System& system, const State& u, const StaticsWatch& watch)
    : system_(system), t_(u.t), watch_(watch) {
  Vector without, with;
  system_.stand_still(0);
  const double unloaded = size_of_force(system_, state(u.q), without);
  system_.stand_still(1);
  const double loaded = size_of_force(system_, state(u.q), with);
  whole_ = !(unloaded < loaded) && std::isfinite(loaded);
  out_of_balance_ = whole_ ? with : without;
}

void AppliedLoad::apply(double share) {
  share_ = share;
  system_.stand_still(whole_ ? 1 : share);
}

Vector AppliedLoad::residual_rate(const Vector& q) {
  constexpr double little = 1e-6;  // loads are linear in s, and prescribed motion nearly so for such a small change
  const double here = share_;
  const Vector r = residual(q);
  apply(here + little);
  const Vector rate = (residual(q) - r) / little;
  apply(here);
  return rate;
}

std::optional<double> AppliedLoad::potential(const Vector& q) const {
  const auto p = system_.potentials(state(q));
  if (!p) return std::nullopt;
  return p->stored + system_.space().dot(held_back(), q);
}

double AppliedLoad::max_step(const Vector& q, const Vector& dq, double share) const {
  return whole_ ? system_.max_step(q, dq, t_, t_) : system_.max_step_to_share(q, dq, t_, share);
}

}  // namespace limber
