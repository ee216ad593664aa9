#pragma once
/// u̇ = F(u), F(q, v, t) = (v, M⁻¹f, 1), as a scheme sees it: all that it may ask for.

#include <optional>
#include <utility>

#include "limber/core/history.hpp"
#include "limber/time/exponential.hpp"
#include "limber/time/stage.hpp"

namespace limber {

class Dynamics {
 public:
  virtual ~Dynamics() = default;
  /// F(u).
  virtual State rate(const State& u) = 0;
  /// The state that solves a stage.
  virtual State solve(const Stage& stage) = 0;
  /// u + h φ₁(hJ) F(u).
  virtual State exponential(const State& u, double h) = 0;

  /// u = u* + τ F(u), linearised about or started from the known state `at`.
  State implicit(const State& star, double tau, const State& at) { return solve({star, tau, tau, star.t + tau, at}); }
};

/// Where in a step its forces act: v₁ = v₀ + h M⁻¹ Σ w f at the state it starts from, the solution of its first stage
/// and the state it ends with. Exact for one-step methods whose stages are these; multistep methods weigh the forces
/// of earlier steps too, and the weights here are what all steps together give each force.
struct ForceWeights {
  double start = .5, stage = 0, end = .5;
};

/// The dynamics of a mechanical system with one of the stage solvers and the exponential.
class Mechanics final : public Dynamics {
 public:
  /// keeps: whether the solution of the first stage is wanted afterwards.
  Mechanics(System& system, StageSolver& stages, Exponential& exponential, bool keeps = false)
      : system_(system), stages_(stages), exponential_(exponential), keeps_(keeps) {}

  State rate(const State& u) override { return {u.v, system_.solve_mass(system_.force(u)), 1}; }
  State solve(const Stage& s) override {
    State u = stages_.solve(system_, s);
    if (keeps_ && !first_) first_ = u;
    return u;
  }
  State exponential(const State& u, double h) override { return exponential_.advance(system_, u, h); }
  /// The solution of the first stage, if it was to be kept.
  std::optional<State> take_first() { return std::exchange(first_, std::nullopt); }

 private:
  System& system_;
  StageSolver& stages_;
  Exponential& exponential_;
  bool keeps_;
  std::optional<State> first_;
};

/// What a scheme remembers.
struct SchemeMemory {
  std::size_t states = 1;     // u₀, u₋₁, …
  bool acceleration = false;  // State::a: its unknowns are Newmark's (τ_q ≠ τᵥ)
};

/// A scheme: a rule that forms (q*, v*, τ) from the history. Pure: a failed step changes nothing.
class TimeIntegrator {
 public:
  virtual ~TimeIntegrator() = default;
  virtual State step(Dynamics& F, const History& u, double h) const = 0;
  virtual SchemeMemory memory() const { return {}; }
  /// Whether the new state is that of a stage, which is feasible, or goes beyond one.
  virtual bool ends_at_stage() const { return true; }
  virtual ForceWeights force_weights() const { return {}; }
};

}  // namespace limber
