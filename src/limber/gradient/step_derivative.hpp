#pragma once  // internal
/// The derivative of a substep as it was taken: backwards, from the adjoint of its end to those of its known states and
/// the parameters; and forwards. Only rates and stages have a rule; everything else is the scheme's tableau.
///
///     rate:              M a = f(u)
///     stage:             M (v − v*) = τᵥ f(q, v),                        q = q* + τ_q v
///     linearised stage:  M (v − v*) = τᵥ [f̄ − K̄ (q − q̄) − D̄ (v − v̄)],   K̄, D̄ taken at ū or at another known state.
///
/// With contact, its forces at the solution are added to a linearised stage.

#include <span>
#include <vector>

#include "limber/gradient/calls.hpp"
#include "limber/gradient/stage_tangent.hpp"
#include "limber/gradient/variation.hpp"

namespace limber {

/// What both directions need of a call.
class CallDerivative {
 public:
  CallDerivative(System& system, Sense sense) : system_(system), sense_(sense), solver_(system, sense) {}

  /// linearized: stages are solved by one linear solve.
  void set(const Call& call, bool linearized);
  /// The equation whose derivative by a parameter drives the call.
  CallEquation equation() const;

  bool linear_stage() const { return linear_stage_; }
  /// K and D at the solution, or of the linearised stage.
  const ExactTangent& tangent() const { return tangent_; }
  /// Solves with A, or with M for rates.
  Matrix solve(const Matrix& b);
  /// Linearised stages: K̄ − K(ū) where K̄ is taken elsewhere, products with it; else empty tangents.
  bool has_own_tangent() const { return linear_stage_ && call_->own_tangent; }
  const ExactTangent& at_known() const { return at_known_; }
  const ExactTangent& linearized() const { return system_.contact() ? linearized_ : tangent_; }
  /// d/ds of products with K and D at ū + s (q − q̄, v − v̄).
  struct Slopes {
    Matrix stiffness, damping;
  };
  std::optional<Slopes> slopes(const Matrix& by_q, const Matrix& by_v);
  /// Forces have become others.
  void forget();

 private:
  Vector slope_of_forces(const Vector& dq, const Vector& w);
  System& smooth() { return system_.contact() ? system_.contact()->smooth() : system_; }

  System& system_;
  Sense sense_;
  StageMatrixSolver solver_;
  ExactTangent tangent_, linearized_, at_known_, shifted_;
  const Call* call_ = nullptr;
  bool linear_stage_ = false;
};

class ReverseStep {
 public:
  ReverseStep(System& system, std::span<SystemVariation* const> variations);

  /// From the adjoint of the end: those of the known states, newest first; gradient += that of the parameters.
  std::vector<StateAdjoint> run(const ReplayedSubstep& step, bool linearized, const StateAdjoint& end,
                                Eigen::Ref<Vector> gradient);
  void forget() { call_.forget(); }

 private:
  System& system_;
  std::span<SystemVariation* const> variations_;
  CallDerivative call_;
};

class ForwardStep {
 public:
  /// Adds to the right-hand sides of a call what changes beside states, one column for each direction.
  using Sources = std::function<void(const Call& call, const CallEquation& equation, Matrix& to)>;

  explicit ForwardStep(System& system) : system_(system), call_(system, Sense::forward) {}

  /// From the changes of the known states, newest first: that of the end.
  StateChange run(const ReplayedSubstep& step, bool linearized, std::span<const StateChange> known,
                  const Sources& sources);
  void forget() { call_.forget(); }

 private:
  System& system_;
  CallDerivative call_;
};

}  // namespace limber
