#pragma once
/// "+ERE" as a change of frame, for any scheme whose stages are u = u* + τ F(u): modes move by the exact solution of
/// their linearised equation, F acts in the complement only. A stage from ū at t̄ to t becomes, with Q̂ = diag(P, P),
///
///     u = Q̂u* + (I−Q̂)ū + τ Q̂F(u) + s φ₁(s J_G) [G(ū) + ½s (I−Q̂) J Q̂F(ū)],   s = t − t̄,   G = (I−Q̂) F.
///
/// The last term stands for what couples modes and complement: modes that are not exact, damping, loads
/// that change in time (t belongs to the complement). It is zero for exact undamped modes.

#include "limber/time/dynamics.hpp"
#include "limber/time/modal/subspace.hpp"

namespace limber {

/// How a method splits off its modes.
enum class Splitting {
  none,
  first_order,   // (beere), (SIERE) for exact modes: of the coupling only what comes from K, which is zero for them
  second_order,  // all of the coupling: second order where the scheme is
  printed        // (BDF2ERE), (sbdf2ere), (26n): u = u* + τ Q̂F(u) + τ φ₁(s J_G) G(ū), in the last stage only
};

class SplitDynamics final : public Dynamics {
 public:
  /// t_end: where the step ends [s].
  SplitDynamics(Dynamics& base, const System& system, ModalSubspace& modes, Splitting rule, double t_end)
      : base_(base), system_(system), modes_(modes), rule_(rule), t_end_(t_end) {}

  State rate(const State& u) override;
  State solve(const Stage& s) override;
  State exponential(const State& u, double h) override { return base_.exponential(u, h); }

 private:
  bool is_start(const State& u) const;
  Vector coupling(const Linearization& at, double span) const;

  Dynamics& base_;
  const System& system_;
  ModalSubspace& modes_;
  Splitting rule_;
  double t_end_;
};

}  // namespace limber
