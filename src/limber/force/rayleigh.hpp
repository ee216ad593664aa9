#pragma once
/// Rayleigh damping of one elastic body,
///
///     f = −(α K + β M) v,   D = α K + β M,
///
/// α [s] multiplies the stiffness, β [1/s] the mass. A mode of frequency ω has the damping ratio α ω/2 + β/(2ω).

#include <memory>
#include <optional>
#include <vector>

#include "limber/core/memo.hpp"
#include "limber/force/body_matrix.hpp"
#include "limber/force/turning.hpp"
#include "limber/model/following_force.hpp"
#include "limber/model/mechanical_system.hpp"
#include "limber/model/storing_force.hpp"

namespace limber {

struct RayleighCoefficients {
  double stiffness = 0;  // α [s]
  double mass = 0;       // β [1/s]
};

struct DampingRatio {
  double frequency = 0;  // [Hz]
  double ratio = 0;      // relative to critical damping
};

/// The α and β that give both ratios. Throws InputError(where, …) for equal or non-positive frequencies, negative
/// ratios, and pairs that would need a negative α or β.
RayleighCoefficients rayleigh_from_ratios(const DampingRatio& first, const DampingRatio& second,
                                          const std::string& where);

/// The choice of K:
///
///     corotated  at rest, rotated with the body (turning.hpp). Within a step it depends on time only, along the motion
///                extrapolated from the start of the step: D is exactly −∂f/∂v, and the potential and second order
///                are retained.
///     rest       at rest, without rotation; resists rotation.
///     current    at the current state, projected element by element; no potential. α ∂K/∂q[v] in the tangent is
///                computed by central differences of K.
///     frozen     the same at the start of the step; has a potential, first order.
enum class RayleighAt { corotated, rest, current, frozen };

class RayleighDamping : public Force,
                        public DampingForce,
                        public LearningForce,
                        public FollowingForce,
                        public StoringForce {
 public:
  /// K is the symmetric tangent of `elastic`, a separate copy of the body's elastic force. This object binds it to all
  /// nodes of the body and, if K is that of the rest shape, releases it again. RayleighAt::corotated requires a
  /// TurningStiffness. `masses`: those of the body. `rest`: 3N [m].
  RayleighDamping(std::unique_ptr<Force> elastic, std::vector<NodalMass> masses, Vector rest,
                  RayleighCoefficients coefficients, RayleighAt at);

  ForceTraits traits() const override;
  void add_couplings(std::vector<std::pair<int, int>>& pairs) const override;
  void bind(const BlockPattern& pattern, std::span<const int> free_index) override;
  void add_force(const State& u, Vector& f) const override;
  void add_tangent(const State& u, TangentBuilder& T) const override;
  std::optional<Potentials> potentials(const State& u) const override;
  void begin_step(const State& u) override;
  void restore(const std::vector<double>& memory) override;
  bool follows() const override { return uses(RayleighAt::corotated) || uses(RayleighAt::frozen); }
  /// A projected K is the second derivative of no potential, so ∂K/∂q[v] w is not ∂K/∂q[w] v.
  bool tangent_is_approximate() const override { return uses(RayleighAt::current); }
  double damping_power(const State& u) const override;
  double stored_energy(const State&) const override { return 0; }

 private:
  struct Damping {
    SparseMatrix on_body;  // α K + β M
    Vector on_bound;       // the same on the pattern that the force is bound to
  };
  struct StepStart {  // the body's part of the state
    Vector q, v;
    double t;
  };
  struct Link {  // two coupled nodes and their distance [m] at rest
    int a, b;
    double length;
  };

  std::vector<std::pair<int, int>> couplings() const;
  /// Whether there is stiffness damping with this K.
  bool uses(RayleighAt at) const { return at_ == at && coefficients_.stiffness > 0; }
  /// α K(q), and with β M.
  SparseMatrix stiffness(const Vector& q, Definiteness definiteness) const;
  SparseMatrix at_state(const Vector& q, Definiteness definiteness) const;
  void set_turned(const State& start, double dt, Damping& D) const;
  /// At a state, where D does not depend on q within a step.
  std::shared_ptr<const Damping> damping(const State& u) const;
  /// T += scale · A, in K or D.
  enum class Into { stiffness, damping };
  void add_matrix(const SparseMatrix& A, double scale, Into into, TangentBuilder& T) const;
  void add_current_tangent(const State& u, TangentBuilder& T) const;
  double difference_step(const Vector& v) const;
  /// (α K + β M) v, 3N.
  Vector resistance(const State& u) const;

  std::unique_ptr<Force> elastic_;
  std::vector<NodalMass> masses_;
  RayleighCoefficients coefficients_;
  RayleighAt at_;
  BodyPattern body_;
  BoundBlocks bound_;
  std::vector<Link> links_;         // current: by which the step of differences is chosen
  std::shared_ptr<Damping> fixed_;  // rest; frozen: of the step
  std::optional<StepStart> start_;  // corotated: of the step; without it, the state passed in is used
  Memo<double, Damping> turned_;    // corotated: by time, along the motion from the start of the step
};

}  // namespace limber
