#pragma once
/// A mechanical system in its free degrees of freedom,
///
///     M q̈ = f(q, v, t),   K = −∂f/∂q,   D = −∂f/∂v  (so D ⪰ 0 damps).
///
/// This is all that solvers and time integrators know about the mechanics.

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "limber/core/space.hpp"
#include "limber/core/state.hpp"
#include "limber/model/low_rank.hpp"
#include "limber/model/mass_matrix.hpp"

namespace limber {

/// PᵀSP = S − MX (SX)ᵀ − SX (MX)ᵀ + MX (XᵀSX) (MX)ᵀ with P = I − X XᵀM: K or D as S, without the modes X.
struct Deflation {
  Matrix MX, KX, DX;  // #n × s
  Matrix XKX, XDX;    // #s × s
};

/// K and D on one pattern, which the mass matrix has too unless it is diagonal. Three things are kept apart from them:
/// modes that are taken out of a part of K and D, the part of K that is not symmetric (coupled friction), and one of
/// low rank (cavities). So K itself stays symmetric and sparse.
struct Tangent {
  SparseMatrix K, D;
  std::optional<Deflation> deflation = {};
  SparseMatrix unsymmetric = {};  // #n × n, both triangles, to be added to K; size 0: there is no such part
  LowRank low_rank = {};          // to be added to K; modes are not taken out of it
};

/// The forces and their tangent at a state.
struct Linearization {
  State at;
  Vector f;
  Tangent tangent;
};

/// f = −∂W/∂q − ∂R/∂v, where every force is of that form.
struct Potentials {
  double stored = 0;      // W(q, t) [J], +∞ outside the forces' domain
  double dissipated = 0;  // R(v) [W]
  Potentials& operator+=(const Potentials& p) {
    stored += p.stored;
    dissipated += p.dissipated;
    return *this;
  }
};

/// How often friction's potential takes the normal forces and sliding directions of a new state: never (there is no
/// friction); at each iterate of Newton, so that those of the solution act; or at each solution, so that they lag
/// behind it, but the potential is exact.
enum class Lag { none, each_iterate, each_solution };

/// Contact as inequalities instead of forces. none: there are no inequalities; nonpenetration: no gap may close (cona);
/// velocity: also, pairs in contact may only move apart (conb).
enum class GapRule { none, nonpenetration, velocity };

/// The gaps g(q, t) of pairs that are near, linearised: g + G (q' − q) + rate (t' − t).
struct GapConstraints {
  Vector gap;                    // g [m], #c; a pair is in contact where it is at most `contact`
  SparseMatrix G;                // ∂g/∂q, #c × n
  Vector rate;                   // ∂g/∂t [m/s], #c, due to prescribed nodes and obstacles
  double contact = 0;            // δ [m]
  std::vector<int> source = {};  // #c: the number of each pair among those that were near
};

/// Whether a tangent is exact, or each element's part is projected to the nearest positive semidefinite matrix.
enum class Definiteness { exact, projected };

class System;

/// Contact-specific operations; present only if the system has contact forces.
class ContactPart {
 public:
  virtual ~ContactPart() = default;
  /// The system without its contact forces, and with its contact forces alone: contact is neither linearised nor
  /// projected.
  virtual System& smooth() = 0;
  virtual System& forces() = 0;
  /// Whether forces of collisions are among them.
  virtual bool collides() const { return true; }
  /// The system without the forces of collisions, which vanish where the smallest gap is ∞; what else is implicit is
  /// its contact part. Null if there are no such forces.
  virtual System* without_collisions() { return nullptr; }
  /// Whether nothing comes within reach at `to` or is passed through on the straight way there.
  virtual bool stays_apart(const State& /*from*/, const State& /*to*/) const { return false; }
  /// The smallest gap [m] of the collisions at u; ∞ if there are none.
  virtual double smallest_gap(const State&) const = 0;
  virtual Lag lag() const { return Lag::none; }
  /// From now on friction's potential uses the normal forces and sliding directions of u.
  virtual void update_lagged(const State&) {}
  /// Coupled friction that became lagged in this stage is coupled again; whether there is any.
  virtual bool couple_again() { return false; }
  /// What moves as it is told, for messages: "a script or an obstacle"; empty if nothing does.
  virtual std::string driven() const { return {}; }
};

/// Pairs that are near, as inequalities: contact by a rule instead of forces, and ways that things can go freely.
class NearGaps {
 public:
  virtual ~NearGaps() = default;
  virtual GapRule rule() const = 0;
  /// All pairs at u whose gap can close before the time `until`, if no free node moves further than `distance` [m].
  virtual GapConstraints at(const State& u, double until, double distance) = 0;
  /// Takes the normal forces [N] that kept these gaps open in the last stage, for reports. The gaps are those of the
  /// last call of at().
  virtual void report_forces(const GapConstraints&, const Vector& /*forces*/) {}
};

struct SystemTraits {
  Index size = 0;  // n
  /// Whether M, K and D are, but for Tangent::unsymmetric. Then only their lower triangles are stored.
  bool symmetric = true;
  bool velocity_dependent = false;  // D ≠ 0
  bool time_dependent = true;       // ∂f/∂t ≠ 0 may happen
  double length_scale = 1;          // [m] tolerances of lengths are relative to this one
  UnknownNodes nodes = {};          // where they are at the start; unknown if unknowns are no positions of nodes
  ContactPart* contact = nullptr;   // null if there are no contact forces
  NearGaps* gaps = nullptr;         // null if nobody knows of any
};

class System {
 public:
  virtual ~System() = default;

  virtual SystemTraits traits() const = 0;
  /// It has the pattern of K and D, which may grow with each tangent; or its diagonal alone.
  virtual const MassMatrix& inertia() const = 0;
  virtual Vector force(const State& u) const = 0;
  /// The force, with K and D at u in T. Matrices of T without a pattern get one, which grows where things have met:
  /// that alone is why this is not const.
  virtual Vector linearize(const State& u, Definiteness d, Tangent& T) = 0;
  /// nullopt if a force has no potential.
  virtual std::optional<Potentials> potentials(const State&) const { return std::nullopt; }
  /// The largest s in (0, 1] for which q + s·dq stays in the domain of all forces, with a margin. Prescribed nodes and
  /// obstacles move with it, on straight lines from their places at t0 to those at t1, by the same fraction s.
  virtual double max_step(const Vector& /*q*/, const Vector& /*dq*/, double /*t0*/, double /*t1*/) const { return 1; }
  /// Called once before each step with the state that the step starts from: updates what is lagged.
  virtual void begin_step(const State&) {}
  /// The rigid motions of all parts that nothing holds, as velocity fields at u: translations, then rotations. #n × k.
  virtual Matrix rigid_motions(const State&) const { return Matrix(size(), 0); }
  /// For statics: from now on prescribed nodes stand still, this share of the way from their reference to where they
  /// are at the time of a state, and this share of the loads acts. nullopt: all of them, in motion again. A system
  /// that does not tell its loads from its other forces has all of them at any share.
  virtual void stand_still(std::optional<double> /*share*/) {}
  /// The like of max_step at the time t while the share goes from the present one to this.
  virtual double max_step_to_share(const Vector& q, const Vector& dq, double t, double /*share*/) const {
    return max_step(q, dq, t, t);
  }

  Index size() const { return traits().size; }
  bool symmetric() const { return traits().symmetric; }
  bool velocity_dependent() const { return traits().velocity_dependent; }
  bool time_dependent() const { return traits().time_dependent; }
  double length_scale() const { return traits().length_scale; }
  ContactPart* contact() const { return traits().contact; }
  /// The vectors over its unknowns. Where several processes share them, M, K and D are those of a process's own
  /// elements, but forces, products and potentials are whole.
  const Space& space() const {
    const Space* shared = traits().nodes.space;
    return shared ? *shared : serial_space();
  }
  double smallest_gap(const State& u) const {
    ContactPart* c = contact();
    return c ? c->smallest_gap(u) : std::numeric_limits<double>::infinity();
  }
  Lag lag() const { return contact() ? contact()->lag() : Lag::none; }
  void update_lagged(const State& u) {
    if (contact()) contact()->update_lagged(u);
  }
  GapRule gap_rule() const { return traits().gaps ? traits().gaps->rule() : GapRule::none; }
  GapConstraints gaps(const State& u, double until, double distance) {
    NearGaps* gaps = traits().gaps;
    return gaps ? gaps->at(u, until, distance) : GapConstraints{};
  }
  const SparseMatrix& mass() const { return inertia().matrix(); }
  Vector apply_mass(const Vector& x) const { return inertia().apply(x); }
  Vector solve_mass(const Vector& f) const { return inertia().solve(f); }
  void tangent(const State& u, Definiteness d, Tangent& T) { linearize(u, d, T); }
};

}  // namespace limber
