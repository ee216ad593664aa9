#pragma once
/// u̇ = F(u), F(q, v, t) = (v, M⁻¹f, 1): the interface through which a scheme sees the system.

#include <optional>
#include <stdexcept>
#include <utility>

#include "limber/core/history.hpp"
#include "limber/time/exponential.hpp"
#include "limber/time/local_error.hpp"
#include "limber/time/stage.hpp"

namespace limber {

/// What a step gains [J] if it ends at the position of its stage, with the velocity v + α d instead of the stage's v:
/// at_stage + α slope + α² curvature.
struct EnergyGain {
  double at_stage = 0, slope = 0, curvature = 0;
  double taken = 0;    // [J] that damping and friction take, with the forces of the stage
  double kinetic = 0;  // [J] with v
  /// overfallen + α overfallen_slope: what gravity's potential loses beyond the work along the mean velocity [J].
  double overfallen = 0, overfallen_slope = 0;
};

class Dynamics {
 public:
  virtual ~Dynamics() = default;
  /// F(u).
  virtual State rate(const State& u) = 0;
  /// The state that solves a stage.
  virtual State solve(const Stage& stage) = 0;
  /// u + h φ₁(hJ) F(u).
  virtual State exponential(const State& u, double h) = 0;
  /// Of a step from `from` by the stage `u`, in the direction d; for schemes that are not linear().
  virtual EnergyGain gain(const State& /*from*/, const State& /*u*/, const Vector& /*d*/) {
    throw std::logic_error("these dynamics have no energy");
  }

  /// Solves u = u* + τ F(u), linearised about the known state `at` or started from it.
  State implicit(const State& star, double tau, const State& at) { return solve({star, tau, tau, star.t + tau, at}); }
};

/// The weights w of the forces in a step, v₁ = v₀ + h M⁻¹ Σ w f, at its initial state, the solution of its first stage
/// and its final state. Exact for one-step methods with these stages. Multistep methods also weight forces of earlier
/// steps; here each force has its total weight over all steps.
struct ForceWeights {
  double start = .5, stage = 0, end = .5;
};

/// What is kept of the stages of a step.
struct KeptOfStages {
  bool first = false;          // the solution of the first one
  bool linearization = false;  // the errors of linearised ones
};

/// The dynamics of a mechanical system with one of the stage solvers and the exponential.
class Mechanics final : public Dynamics {
 public:
  /// whole: the system whose energy counts, if `system` is a part of it.
  Mechanics(System& system, StageSolver& stages, Exponential& exponential, KeptOfStages keeps = {},
            const System* whole = nullptr)
      : system_(system), stages_(stages), exponential_(exponential), keeps_(keeps), whole_(whole) {}

  State rate(const State& u) override { return {u.v, system_.solve_mass(system_.force(u)), 1}; }
  State solve(const Stage& s) override {
    State u = stages_.solve(system_, s);
    if (keeps_.first && !first_) first_ = u;
    if (keeps_.linearization && linearized_) {
      if (const auto more = stages_.linearization_error(system_, s, u))
        linearized_->add({{}, *more});
      else
        linearized_.reset();
    }
    return u;
  }
  State exponential(const State& u, double h) override { return exponential_.advance(system_, u, h); }
  EnergyGain gain(const State& from, const State& u, const Vector& d) override;
  /// The solution of the first stage, if it was kept.
  std::optional<State> take_first() { return std::exchange(first_, std::nullopt); }
  /// The sum over the stages; nullopt if it is not known of one of them.
  const std::optional<LocalError>& linearization_error() const { return linearized_; }

 private:
  System& system_;
  StageSolver& stages_;
  Exponential& exponential_;
  KeptOfStages keeps_;
  const System* whole_;
  std::optional<State> first_;
  std::optional<LocalError> linearized_ = LocalError();
};

/// The data a scheme needs from earlier steps.
struct SchemeMemory {
  std::size_t states = 1;     // number of states u₀, u₋₁, …
  bool acceleration = false;  // State::a: the scheme has Newmark's unknowns (τ_q ≠ τᵥ)
};

/// A scheme: a rule that forms (q*, v*, τ) from the history. It has no state, so a failed step changes nothing.
class TimeIntegrator {
 public:
  virtual ~TimeIntegrator() = default;
  virtual State step(Dynamics& F, const History& u, double h) const = 0;
  virtual SchemeMemory memory() const { return {}; }
  /// Whether the new state is that of a stage, and hence feasible, or is extrapolated from one.
  virtual bool ends_at_stage() const { return true; }
  /// Whether states are only added and scaled, with factors that do not depend on them.
  virtual bool linear() const { return true; }
  virtual ForceWeights force_weights() const { return {}; }
  /// The error of a step of length h from u[0]; nullopt if the scheme has no formula for it.
  virtual std::optional<ErrorFormula> error_formula(const History& /*u*/, double /*h*/) const { return std::nullopt; }
};

}  // namespace limber
