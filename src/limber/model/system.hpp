#pragma once
/// A mechanical system in its free degrees of freedom,
///
///     M q̈ = f(q, v, t),   K = −∂f/∂q,   D = −∂f/∂v  (so D ⪰ 0 damps).
///
/// All that solvers and time integrators know of the mechanics.

#include <optional>

#include "limber/core/state.hpp"

namespace limber {

/// K and D on the pattern of the mass matrix.
struct Tangent {
  SparseMatrix K, D;
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

/// Whether a tangent is the exact one or has its elements projected to positive semidefinite ones.
enum class Definiteness { exact, projected };

class System {
 public:
  virtual ~System() = default;

  virtual Index size() const = 0;                       // n
  virtual bool symmetric() const = 0;                   // M, K, D are symmetric and stored as lower triangles
  virtual bool velocity_dependent() const = 0;          // D ≠ 0
  virtual bool time_dependent() const { return true; }  // ∂f/∂t ≠ 0 may happen
  virtual const SparseMatrix& mass() const = 0;         // all matrices have its pattern
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
  /// The largest s in (0, 1] for which q + s·dq stays in the domain of all forces, with some reserve.
  virtual double max_step(const Vector& /*q*/, const Vector& /*dq*/, double /*t*/) const { return 1; }
  /// Called once before each step with the state it starts from: sets what is lagged.
  virtual void begin_step(const State&) {}
  /// The length [m] that tolerances are relative to.
  virtual double length_scale() const { return 1; }
  /// Velocity fields of parts that nothing holds: translations, then rotations about where they are at u. #n × k.
  virtual Matrix rigid_motions(const State&) const { return Matrix(size(), 0); }
};

}  // namespace limber
