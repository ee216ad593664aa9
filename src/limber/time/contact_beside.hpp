#pragma once  // internal
/// Contact applied beside the scheme instead of inside it, so that impacts are not extrapolated. The scheme sees
/// velocities without the contributions of contact during the step. From one stage to the next, dt later, contact and
/// friction add a fully implicit impulse w = w' + dt M⁻¹f_con(u), with w = 0 at the start of the step:
///
///     M (v − v*) = τᵥ f_smooth(q, v) + dt f_con(q, v),   q = q* + τ_q v,   v* = (the scheme's v*) + w',
///
/// and the scheme continues with (q, v − w). For TR: Kane, Repetto, Ortiz and Marsden (1999).

#include "limber/time/dynamics.hpp"

namespace limber {

class ContactBeside final : public Dynamics {
 public:
  /// `system` has contact forces; `newton` solves every stage.
  ContactBeside(System& system, StageSolver& newton, const State& start);

  State rate(const State& u) override;
  State solve(const Stage& s) override;
  State exponential(const State& u, double) override { return u; }

  /// The last stage including the contact impulse: the result of a scheme that ends at a stage. It has no algorithmic
  /// acceleration.
  const State& arrived() const { return last_; }

 private:
  System& system_;
  StageSolver& newton_;
  State last_;      // the last stage, or the initial state
  Vector impulse_;  // w [m/s]
};

}  // namespace limber
