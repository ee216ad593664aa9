#pragma once
/// Rayleigh damping of one elastic body,
///
///     f = −(α K + β M) v,   D = α K + β M,
///
/// α [s] multiplies the stiffness, β [1/s] the mass: a mode of frequency ω has the damping ratio α ω/2 + β/(2ω).

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
  double ratio = 0;      // of critical damping
};

/// The α and β that give both ratios. Throws InputError(where, …) for equal or non-positive frequencies, negative
/// ratios, and pairs that only a negative α or β could give.
RayleighCoefficients rayleigh_from_ratios(const DampingRatio& first, const DampingRatio& second,
                                          const std::string& where);

/// Which K:
///
///     corotated  of the rest shape, turned with the body (turning.hpp). In a step it depends on the time alone, along
///                the motion with which the step began: D is −∂f/∂v exactly, the potential is kept, and so is order
///                two.
///     rest       of the rest shape as it stood, which resists rotation.
///     current    of the state itself, each element's without what is negative: no potential. α ∂K/∂q[v] in the tangent
///                is taken by central differences of K.
///     frozen     the same of the state at which the step began: keeps the potential, order one.
enum class RayleighAt { corotated, rest, current, frozen };

class RayleighDamping : public Force, public DampingForce, public LearningForce, public StoringForce {
 public:
  /// K is the symmetric tangent of `elastic`: a copy of the body's elastic force for this force alone, which binds it
  /// to all nodes of the body and, where K is that of the rest shape, lets it go again. For RayleighAt::corotated it
  /// has a TurningStiffness. `masses`: those of the body. `rest`: 3N [m].
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
  struct BlockCopy {  // a block of the body's matrix and its place on the bound pattern
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
  /// Of the step that began last, at time t.
  void set_turned_damping(const State& u) const;
  void copy_to_bound() const;
  /// α K + β M at a state, where it does not depend on q.
  const SparseMatrix& damping(const State& u) const;
  /// Whether stiffness damps at all and its K is this one.
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
  std::vector<int> body_index_;   // #N: number in the body, −1 elsewhere
  BlockPattern body_pattern_;     // all nodes of the body, prescribed ones too: their velocities damp free nodes
  mutable SparseMatrix damping_;  // α K + β M on it, where it does not depend on q
  mutable SparseMatrix work_, other_side_;  // K of the moment, where it does

  // Of RayleighAt::corotated: positions and velocities of the body's nodes when the step began, and since when it
  // takes; none: the state that is asked for. And the time for which damping_ is set.
  Vector start_q_, start_v_;
  std::optional<double> since_;
  mutable std::optional<double> turned_at_;

  const BlockPattern* bound_ = nullptr;
  std::vector<BlockCopy> copies_;
  mutable Vector bound_values_;  // damping_ on the bound pattern, entries first_value_, first_value_ + 1, …
  Index first_value_ = 0;
};

}  // namespace limber
