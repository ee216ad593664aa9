#pragma once
/// A mechanical system in its free degrees of freedom,
///
///     M q̈ = f(q, v, t),   K = −∂f/∂q,   D = −∂f/∂v  (so D ⪰ 0 damps).
///
/// All that solvers and time integrators know of the mechanics.

#include <limits>
#include <optional>

#include "limber/core/state.hpp"

namespace limber {

/// PᵀSP = S − MX (SX)ᵀ − SX (MX)ᵀ + MX (XᵀSX) (MX)ᵀ with P = I − X XᵀM: modes X taken out of S = K and of S = D.
struct TakenOut {
  Matrix MX, KX, DX;  // #n × s
  Matrix XKX, XDX;    // #s × s
};

/// K and D on the pattern of the mass matrix. Said aside: modes that are taken out of a part of them, and what of K is
/// not symmetric (coupled friction), so that the rest can be treated as the symmetric matrix it is.
struct Tangent {
  SparseMatrix K, D;
  std::optional<TakenOut> taken_out = {};
  SparseMatrix unsymmetric = {};  // #n × n, all entries, to be added to K; of size 0: nothing
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

/// When friction's potential takes over the normal forces and sliding directions of a state: never (there is none), at
/// each iterate of Newton (they act at the solution), or at each solution (they lag behind, the potential is exact).
enum class Lag { none, each_iterate, each_solution };

/// Contact as inequalities instead of forces: none; no gap may close (cona); what is in contact may only move apart
/// (conb).
enum class GapRule { none, nonpenetration, velocity };

/// The gaps g(q, t) of pairs that are near, linearised: g + G (q' − q) + rate (t' − t).
struct GapConstraints {
  Vector gap;                    // g [m], #c; at most `contact`: the pair is in contact
  SparseMatrix G;                // ∂g/∂q, #c × n
  Vector rate;                   // ∂g/∂t [m/s], #c, by what is prescribed (nodes, obstacles)
  double contact = 0;            // δ [m]
  std::vector<int> source = {};  // #c: the number of each among the pairs that were near
};

/// Whether a tangent is the exact one or has its elements projected to positive semidefinite ones.
enum class Definiteness { exact, projected };

class System {
 public:
  virtual ~System() = default;

  virtual Index size() const = 0;                       // n
  virtual bool symmetric() const = 0;                   // M, K, D are (but for what is said aside); lower triangles
  virtual bool velocity_dependent() const = 0;          // D ≠ 0
  virtual bool time_dependent() const { return true; }  // ∂f/∂t ≠ 0 may happen
  /// All matrices have its pattern, which may grow with each tangent.
  virtual const SparseMatrix& mass() const = 0;
  virtual Vector apply_mass(const Vector& x) const = 0;
  virtual Vector solve_mass(const Vector& f) const = 0;

  virtual Vector force(const State& u) const = 0;
  /// Writes K and D at u into T, whose matrices are given the mass's pattern if they have none.
  virtual void tangent(const State& u, Definiteness, Tangent& T) const = 0;
  /// force and tangent in one pass.
  virtual Vector linearize(const State& u, Definiteness d, Tangent& T) const {
    tangent(u, d, T);
    return force(u);
  }
  /// nullopt if a force has no potential.
  virtual std::optional<Potentials> potentials(const State&) const { return std::nullopt; }
  /// The largest s in (0, 1] for which q + s·dq stays in the domain of all forces, with some reserve, while what is
  /// prescribed (nodes, obstacles) moves straight from where it is at t0 to where it is at t1, s of the way.
  virtual double max_step(const Vector& /*q*/, const Vector& /*dq*/, double /*t0*/, double /*t1*/) const { return 1; }
  /// The smallest gap [m] of the collisions at u; ∞ where there is none.
  virtual double smallest_gap(const State&) const { return std::numeric_limits<double>::infinity(); }
  /// Holds the normal forces and sliding directions of u for friction's potential.
  virtual void hold(const State&) const {}
  virtual Lag lag() const { return Lag::none; }
  /// This system without its contact forces, and with these alone: contact is never linearised nor projected. Null
  /// where there are none.
  virtual const System* smooth() const { return nullptr; }
  virtual const System* contact() const { return nullptr; }
  virtual GapRule gap_rule() const { return GapRule::none; }
  /// Where there is a rule: all pairs at u whose gap can close by `until` if nothing free moves further than `way` [m].
  virtual GapConstraints gaps(const State& /*u*/, double /*until*/, double /*way*/) const { return {}; }
  /// Told, for reports, the normal forces [N] that held these gaps, those of the last call, open in the last stage.
  virtual void bear(const GapConstraints&, const Vector& /*forces*/) const {}
  /// Called once before each step with the state it starts from: sets what is lagged.
  virtual void begin_step(const State&) {}
  /// The length [m] that tolerances are relative to.
  virtual double length_scale() const { return 1; }
  /// Velocity fields of parts that nothing holds: translations, then rotations about where they are at u. #n × k.
  virtual Matrix rigid_motions(const State&) const { return Matrix(size(), 0); }
};

}  // namespace limber
