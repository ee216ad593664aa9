#pragma once  // internal
/// Contact beside the scheme instead of inside it, so that no impact is extrapolated. The scheme is given velocities
/// without what contact has put into them during the step; from one stage to the next, dt later, contact and friction
/// add an impulse that is wholly implicit, w = w' + dt M⁻¹f_con(u), w = 0 at the start of the step:
///
///     M (v − v*) = τᵥ f_smooth(q, v) + dt f_con(q, v),   q = q* + τ_q v,   v* = (the scheme's v*) + w',
///
/// and the scheme goes on with (q, v − w). For TR: Kane, Repetto, Ortiz and Marsden (1999).

#include "limber/time/dynamics.hpp"

namespace limber {

class ContactBeside final : public Dynamics {
 public:
  /// `system` has contact forces; `newton` solves every stage.
  ContactBeside(System& system, StageSolver& newton, const State& start);

  State rate(const State& u) override;
  State solve(const Stage& s) override;
  State exponential(const State& u, double) override { return u; }

  /// The last stage as it is, with what contact has put in: where a scheme that ends at a stage arrives. It has no
  /// acceleration to be remembered.
  const State& arrived() const { return last_; }

 private:
  System& system_;
  StageSolver& newton_;
  State last_;      // the last stage, or the start
  Vector impulse_;  // w [m/s]
};

}  // namespace limber
