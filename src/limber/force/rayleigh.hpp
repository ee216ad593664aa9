#pragma once
/// Rayleigh damping of one elastic body,
///
///     f = −(α K + β M) v,   D = α K + β M,
///
/// α [s] multiplies the stiffness, β [1/s] the mass. A mode of frequency ω has the damping ratio α ω/2 + β/(2ω).

#include <memory>
#include <optional>
#include <vector>

#include "limber/force/turning.hpp"
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

class RayleighDamping : public Force, public DampingForce, public LearningForce, public StoringForce {
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
  double damping_power(const State& u) const override;
  double stored_energy(const State&) const override { return 0; }

 private:
  struct BlockCopy {  // a block of the body's matrix and its position on the bound pattern
    BlockPattern::Slot from, to;
  };
  struct Link {  // two coupled nodes and their distance [m] at rest
    int a, b;
    double length;
  };
  enum class Into { stiffness, damping };

  void find_body();
  /// A = scale · K(q) on the body's pattern.
  void assemble_stiffness(const Vector& q, double scale, Definiteness definiteness, SparseMatrix& A) const;
  void add_mass(SparseMatrix& A) const;
  void set_damping(const Vector& q, Definiteness definiteness);
  /// Sets damping_ for time u.t, along the motion from the start of the step; without one, for the state u itself.
  void set_turned_damping(const State& u) const;
  void copy_to_bound() const;
  /// α K + β M at a state, if it does not depend on q.
  const SparseMatrix& damping(const State& u) const;
  /// Whether there is stiffness damping with this K.
  bool uses(RayleighAt at) const { return at_ == at && coefficients_.stiffness > 0; }
  /// T += scale · A.
  void add_matrix(const SparseMatrix& A, double scale, Into into, TangentBuilder& T) const;
  void add_current_tangent(const State& u, TangentBuilder& T) const;
  double difference_step(const Vector& v) const;
  /// (α K + β M) v, 3N.
  Vector resistance(const State& u) const;

  std::unique_ptr<Force> elastic_;
  std::vector<NodalMass> masses_;
  Vector rest_;
  RayleighCoefficients coefficients_;
  RayleighAt at_;

  std::vector<std::pair<int, int>> couplings_;
  std::vector<Link> links_;
  int first_node_ = 0;
  std::vector<int> body_index_;   // #N: number in the body, −1 outside it
  BlockPattern body_pattern_;     // all nodes of the body, prescribed ones too: their velocities damp free nodes
  mutable SparseMatrix damping_;  // α K + β M on it, if it does not depend on q
  mutable SparseMatrix work_, other_side_;  // present K, if it depends on q

  // For RayleighAt::corotated: positions and velocities of the body's nodes at the start of the step, and its time;
  // without a time, the state passed in is used. turned_at_: the time for which damping_ is set.
  Vector start_q_, start_v_;
  std::optional<double> since_;
  mutable std::optional<double> turned_at_;

  const BlockPattern* bound_ = nullptr;
  std::vector<BlockCopy> copies_;
  mutable Vector bound_values_;  // damping_ on the bound pattern, entries first_value_, first_value_ + 1, …
  Index first_value_ = 0;
};

}  // namespace limber
