#pragma once
/// A mechanical system in its free degrees of freedom,
///
///     M q̈ = f(q, v, t),   K = −∂f/∂q,   D = −∂f/∂v  (so D ⪰ 0 damps).
///
/// Solvers and time integrators know nothing else about the mechanics.

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "limber/core/space.hpp"
#include "limber/core/state.hpp"
#include "limber/model/low_rank.hpp"
#include "limber/model/mass_matrix.hpp"

namespace limber {

/// PᵀSP = S − MX (SX)ᵀ − SX (MX)ᵀ + MX (XᵀSX) (MX)ᵀ with P = I − X XᵀM, for S = K or D: S with the modes X removed.
struct Deflation {
  Matrix MX, KX, DX;  // #n × s
  Matrix XKX, XDX;    // #s × s
};

/// K and D on one pattern, which is also that of the mass matrix unless that is diagonal. Three parts are kept apart,
/// so that K stays symmetric and sparse: modes removed from a part of K and D, the unsymmetric part of K (coupled
/// friction), and the low-rank part (cavities).
struct Tangent {
  SparseMatrix K, D;
  std::optional<Deflation> deflation = {};
  SparseMatrix unsymmetric = {};  // #n × n, both triangles, to be added to K; size 0: none
  LowRank low_rank = {};          // to be added to K; modes are not removed from it
};

/// The forces and their tangent at a state.
struct Linearization {
  State at;
  Vector f;
  Tangent tangent;
};

/// The potentials of f = −∂W/∂q − ∂R/∂v, if every force has this form.
struct Potentials {
  double stored = 0;      // W(q, t) [J], +∞ outside the forces' domain
  double dissipated = 0;  // R(v) [W]
  Potentials& operator+=(const Potentials& p) {
    stored += p.stored;
    dissipated += p.dissipated;
    return *this;
  }
};

/// How often friction's potential takes over the normal forces and sliding directions of a new state. none: there is no
/// friction. each_iterate: at each Newton iterate, so the converged forces are those of the solution. each_solution:
/// after each solution, so they lag behind, but the potential is exact.
enum class Lag { none, each_iterate, each_solution };

/// Contact as inequalities instead of forces. none: no inequalities; nonpenetration: no gap may close (cona); velocity:
/// in addition, pairs in contact may only separate (conb).
enum class GapRule { none, nonpenetration, velocity };

/// The gaps g(q, t) of nearby pairs, linearised: g + G (q' − q) + rate (t' − t).
struct GapConstraints {
  Vector gap;                    // g [m], #c; a pair is in contact if g ≤ `contact`
  SparseMatrix G;                // ∂g/∂q, #c × n
  Vector rate;                   // ∂g/∂t [m/s], #c, due to prescribed nodes and obstacles
  double contact = 0;            // δ [m]
  std::vector<int> source = {};  // #c: the number of each pair among the nearby pairs
};

/// Whether a tangent is exact, or each element's part is projected to the nearest positive semidefinite matrix.
enum class Definiteness { exact, projected };

class System;

/// Contact-specific operations; present only if the system has contact forces.
class ContactPart {
 public:
  virtual ~ContactPart() = default;
  /// The system without its contact forces, and with its contact forces alone. Methods neither linearise nor project
  /// contact.
  virtual System& smooth() = 0;
  virtual System& forces() = 0;
  /// Whether some of these forces come from collisions.
  virtual bool collides() const { return true; }
  /// The system without the forces of collisions, which vanish if the smallest gap is ∞; its contact part has what else
  /// is implicit. Null if there are no such forces.
  virtual System* without_collisions() { return nullptr; }
  /// Whether nothing comes within reach at `to`, and nothing is passed through on the straight path there.
  virtual bool stays_apart(const State& /*from*/, const State& /*to*/) const { return false; }
  /// The smallest gap [m] of the collisions at u; ∞ if there are none.
  virtual double smallest_gap(const State&) const = 0;
  virtual Lag lag() const { return Lag::none; }
  /// From now on friction's potential uses the normal forces and sliding directions of u.
  virtual void update_lagged(const State&) {}
  /// Restarts the count of Newton iterates: a stage begins, or prescribed nodes and obstacles have moved on.
  virtual void begin_iterates() {}
  /// Couples friction again that became lagged in this stage. Returns whether there is any.
  virtual bool couple_again() { return false; }
  /// The prescribed movers, for messages: "a script or an obstacle"; empty if there are none.
  virtual std::string driven() const { return {}; }
};

/// Nearby pairs as inequalities: for contact by constraints instead of forces, and for finding unobstructed paths.
class NearGaps {
 public:
  virtual ~NearGaps() = default;
  virtual GapRule rule() const = 0;
  /// All pairs at u whose gap can close before time `until` if no free node moves farther than `distance` [m].
  virtual GapConstraints at(const State& u, double until, double distance) = 0;
  /// Takes the normal forces [N] that kept these gaps open in the last stage, for reports. The gaps must be those of
  /// the last call of at().
  virtual void report_forces(const GapConstraints&, const Vector& /*forces*/) {}
};

struct SystemTraits {
  Index size = 0;  // n
  /// Whether M, K and D are symmetric, apart from Tangent::unsymmetric. If so, only their lower triangles are stored.
  bool symmetric = true;
  bool velocity_dependent = false;  // D ≠ 0
  bool time_dependent = true;       // ∂f/∂t ≠ 0 is possible
  double length_scale = 1;          // [m] reference for relative tolerances of lengths
  UnknownNodes nodes = {};          // their initial positions; unknown if the unknowns are not positions of nodes
  ContactPart* contact = nullptr;   // null if there are no contact forces
  NearGaps* gaps = nullptr;         // null if no gaps are available
};

class System {
 public:
  virtual ~System() = default;

  virtual SystemTraits traits() const = 0;
  /// Has the pattern of K and D, which may grow with each tangent, or its diagonal alone.
  virtual const MassMatrix& inertia() const = 0;
  virtual Vector force(const State& u) const = 0;
  /// The force, with K and D at u in T. Matrices of T without a pattern get one. It grows when things have met, so this
  /// is not const.
  virtual Vector linearize(const State& u, Definiteness d, Tangent& T) = 0;
  /// nullopt if a force has no potential.
  virtual std::optional<Potentials> potentials(const State&) const { return std::nullopt; }
  /// The largest s in (0, 1] for which q + s·dq stays in the domain of all forces, with a margin. Prescribed nodes and
  /// obstacles move along, by the same fraction s of the straight lines from their places at t0 to those at t1.
  virtual double max_step(const Vector& /*q*/, const Vector& /*dq*/, double /*t0*/, double /*t1*/) const { return 1; }
  /// Called once before each step with its initial state; updates lagged quantities.
  virtual void begin_step(const State&) {}
  /// The rigid motions of all unsupported parts, as velocity fields at u: translations, then rotations. #n × k.
  virtual Matrix rigid_motions(const State&) const { return Matrix(size(), 0); }
  /// For statics: from now on prescribed nodes stand still, at this share of the way from their reference to their
  /// place at the time of a state, and this share of the loads acts. nullopt: full loads and motion again. A system
  /// that cannot tell its loads from its other forces always applies all of them.
  virtual void stand_still(std::optional<double> /*share*/) {}
  /// Like max_step at time t, while the share goes from its present value to `share`.
  virtual double max_step_to_share(const Vector& q, const Vector& dq, double t, double /*share*/) const {
    return max_step(q, dq, t, t);
  }

  Index size() const { return traits().size; }
  bool symmetric() const { return traits().symmetric; }
  bool velocity_dependent() const { return traits().velocity_dependent; }
  bool time_dependent() const { return traits().time_dependent; }
  double length_scale() const { return traits().length_scale; }
  ContactPart* contact() const { return traits().contact; }
  /// The space of vectors over the unknowns. If several processes share them, M, K and D are those of a process's own
  /// elements, but forces, products and potentials are complete.
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
