#pragma once
/// "+ERE" as a change of frame, for any scheme with stages u = u* + τ F(u): modes move by the exact solution of their
/// linearised equation, and F acts in the complement only. A stage from ū at t̄ to t becomes, with Q̂ = diag(P, P),
///
///     u = Q̂u* + (I−Q̂)ū + τ Q̂F(u) + s φ₁(s J_G) [G(ū) + ½s (I−Q̂) J Q̂F(ū)],   s = t − t̄,   G = (I−Q̂) F
///
/// (t belongs to the complement). Modes kept from an earlier step are then corrected for the motion of the complement
/// (prediction.hpp). For systems without contact; frame.hpp handles contact.

#include "limber/time/dynamics.hpp"
#include "limber/time/modal/prediction.hpp"

namespace limber {

class SplitDynamics final : public Dynamics {
 public:
  /// t_end: end time of the step [s].
  SplitDynamics(Dynamics& base, System& system, ModalSubspace& modes, Splitting rule, double t_end)
      : base_(base), system_(system), modes_(modes), rule_(rule), t_end_(t_end) {}

  State rate(const State& u) override;
  State solve(const Stage& s) override;
  State exponential(const State& u, double h) override { return base_.exponential(u, h); }

 private:
  bool is_start(const State& u) const;

  Dynamics& base_;
  System& system_;
  ModalSubspace& modes_;
  Splitting rule_;
  double t_end_;
};

}  // namespace limber
