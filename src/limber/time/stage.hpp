#pragma once
/// Every implicit stage of every scheme is one problem: find v with
///
///     M (v − v*) = τᵥ Pᵀf(q, v, t),   q = q* + τ_q P v.                                   (S)
///
/// P = I unless modes are split off; then v has the modal part of v*, and only P v is unknown. Residual
/// r(v) = M (v − v*) − τᵥ Pᵀf, stage matrix A = M + τᵥ D + τᵥ τ_q K: n × n, never the 2n × 2n matrix I − hJ.

#include <memory>
#include <optional>

#include "limber/model/system.hpp"
#include "limber/solve/newton.hpp"
#include "limber/time/modal/basis.hpp"

namespace limber {

struct Stage {
  State star;                            // (q*, v*)
  double tau_q = 0, tau_v = 0;           // [s]
  double t = 0;                          // time of the stage [s]
  State at;                              // the last known state: linearised about, or started from
  std::optional<State> tangent_at{};     // linearised stages: where K and D are taken, if not at `at`
  const ModalBasis* modes = nullptr;     // split off, if any
  const Linearization* known = nullptr;  // f, K and D at (at.q, at.v, t), where they are known already
  System* linear = nullptr;              // all forces but contact, where these are linear

  State state(Vector v) const {
    Vector q = modes ? Vector(star.q + tau_q * modes->complement(v)) : Vector(star.q + tau_q * v);
    return {std::move(q), std::move(v), t};
  }
  /// Nothing is unknown: every direction is a mode.
  bool all_modal() const { return modes && modes->count() == star.v.size(); }
  /// v with the modal part that (S) gives it.
  Vector admissible(const Vector& v) const {
    return modes ? Vector(v + modes->combined(modes->coordinates(star.v - v))) : v;
  }
};

struct StageCounts {
  long stages = 0, newton_iterations = 0, projections = 0;
};

class StageSolver {
 public:
  virtual ~StageSolver() = default;
  virtual State solve(System&, const Stage&) = 0;
  /// Called before each step with the state it starts from.
  virtual void begin_step(System&, const State&) {}
  /// Whether a stage since the last begin_step ended where things touch.
  virtual bool touched() const { return false; }
  virtual StageCounts counts() const = 0;
  virtual SolverCounts linear_counts() const = 0;
};

/// The scaling B of the residual merit ½‖B r‖² (opt2): M^(−1/2), the identity, the inverse of the stage matrix's
/// diagonal, or the inverse stage matrix of the step's start.
enum class ResidualScaling { mass, identity, rows, stage };

struct StageOptions {
  std::string linear_solver = "auto";
  double linear_tolerance = 1e-10;  // relative residual of the one solve of a linearised stage
  NewtonOptions newton = {};
  std::optional<int> iterations_with_contact = {};  // of Newton at most, where things collide; unset: as elsewhere
  ResidualScaling scaling = ResidualScaling::mass;
};

/// How stages are solved.
enum class StageSolution { newton, linearized };

/// f linearised once about `at`, v = v̄' + δ with v̄' = v̄ made admissible (v̄ itself where P = I):
///
///     Pᵀ A δ = Pᵀ {M (v* − v̄') + τᵥ [f̄ − K̄ (q* + τ_q P v̄' − q̄) − D̄ (v̄' − v̄)]},   P δ = δ.
std::unique_ptr<StageSolver> make_linearized(System&, const StageOptions&);
/// Newton on (S), with the incremental potential φ(v) = ½‖v − v*‖²_M + (τᵥ/τ_q) W + τᵥ R as merit where it exists.
std::unique_ptr<StageSolver> make_implicit(System&, const StageOptions&);
/// (S) as the minimum of φ under the system's rule on gaps, linearised about the last known state ū, P = I:
///
///     nonpenetration (cona)   ḡ + G (q* + τ_q v − q̄) + ∂g/∂t (t − t̄) ≥ 0 for all pairs that are near,
///     velocity (conb)         G v + ∂g/∂t ≥ 0 as well, for those with ḡ ≤ δ.
///
/// `linearized`: φ is that of the forces linearised about ū. Contact acts in the stage only: a rate F(u₀) in a scheme
/// has no part of it. Throws InputError where the program is built without an interior-point solver.
std::unique_ptr<StageSolver> make_constrained(System&, const StageOptions&, StageSolution);

}  // namespace limber
