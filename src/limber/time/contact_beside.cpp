#include "limber/time/contact_beside.hpp"

#include "limber/time/partial_system.hpp"

namespace limber {

ContactBeside::ContactBeside(System& system, StageSolver& newton, const State& start)
    : system_(system), newton_(newton), last_(start), impulse_(Vector::Zero(system.size())) {}

State ContactBeside::rate(const State& u) { return {u.v, system_.solve_mass(system_.contact()->smooth().force(u)), 1}; }

State ContactBeside::solve(const Stage& s) {
  const double dt = s.t - last_.t;
  Stage with_impulse = s;
  with_impulse.star.v += impulse_;
  with_impulse.at = last_;
  with_impulse.tangent_at.reset();
  WithContact less(system_, system_.contact()->smooth(), {}, {}, dt / s.tau_v);
  last_ = newton_.solve(less, with_impulse);
  impulse_ += dt * system_.solve_mass(system_.contact()->forces().force(last_));
  return {last_.q, last_.v - impulse_, last_.t};
}

}  // namespace limber
