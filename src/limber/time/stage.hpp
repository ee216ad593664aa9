#pragma once
/// All implicit stages of all schemes have one form: find v with
///
///     M (v − v*) = τᵥ Pᵀf(q, v, t),   q = q* + τ_q P v.                                   (S)
///
/// P = I unless modes are split off; then v has the modal part of v*, and only P v is unknown.
/// Residual: r(v) = M (v − v*) − τᵥ Pᵀf.
/// Stage matrix: A = M + τᵥ D + τᵥ τ_q K, n × n instead of the 2n × 2n matrix I − hJ.

#include <memory>
#include <optional>
#include <vector>

#include "limber/model/system.hpp"
#include "limber/solve/newton.hpp"
#include "limber/time/modal/basis.hpp"

namespace limber {

struct Stage {
  State star;                            // (q*, v*)
  double tau_q = 0, tau_v = 0;           // [s]
  double t = 0;                          // time of the stage [s]
  State at;                              // the last known state: point of linearisation or starting point
  std::optional<State> tangent_at{};     // linearised stages: where K and D are evaluated, if not at `at`
  const ModalBasis* modes = nullptr;     // modes split off, or null
  const Linearization* known = nullptr;  // f, K and D at (at.q, at.v, t) if known already
  System* linear = nullptr;              // all forces but contact, if these are linear

  State state(Vector v) const {
    Vector q = modes ? Vector(star.q + tau_q * modes->complement(v)) : Vector(star.q + tau_q * v);
    return {std::move(q), std::move(v), t};
  }
  /// Every direction is a mode, so nothing is unknown.
  bool all_modal() const { return modes && modes->count() == star.v.size(); }
  /// v with the modal part required by (S).
  Vector admissible(const Vector& v) const {
    return modes ? Vector(v + modes->combined(modes->coordinates(star.v - v))) : v;
  }
};

/// The result of a stage.
struct StageResult {
  State u;
  int iterations = 0;   // Newton iterations; 0: none needed, or the stage was linear
  double residual = 0;  // ‖r‖ at Newton's last evaluation
};

/// A solved stage, with all that is needed to reproduce and differentiate the step.
struct StageRecord {
  State star;
  double tau_q, tau_v, t;  // [s]
  StageResult result;
};

struct StageCounts {
  long stages = 0, newton_iterations = 0, projections = 0;
};

class StageSolver {
 public:
  virtual ~StageSolver() = default;
  virtual StageResult solve_stage(System&, const Stage&) = 0;
  /// The solution alone; also records the stage if recording is on.
  State solve(System& system, const Stage& stage);
  /// Appends the stages solved from now on to *log; null: recording is off. The log must outlive this object.
  void record_into(std::vector<StageRecord>* log) { log_ = log; }
  /// Called before each step with its initial state.
  virtual void begin_step(System&, const State&) {}
  /// Estimates how far the velocities of a linearised stage's solution `u` are from those of the stage itself [m/s]:
  /// one Newton correction. An empty vector where the stage was solved as it is; nullopt if unknown.
  virtual std::optional<Vector> linearization_error(System&, const Stage&, const State& /*u*/) { return Vector(); }
  /// Whether a stage since the last begin_step ended in contact.
  virtual bool touched() const { return false; }
  virtual StageCounts counts() const = 0;
  virtual SolverCounts linear_counts() const = 0;

 private:
  std::vector<StageRecord>* log_ = nullptr;
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

/// f linearised once about `at`; v = v̄' + δ, where v̄' is v̄ made admissible (v̄ itself if P = I):
///
///     Pᵀ A δ = Pᵀ {M (v* − v̄') + τᵥ [f̄ − K̄ (q* + τ_q P v̄' − q̄) − D̄ (v̄' − v̄)]},   P δ = δ.
std::unique_ptr<StageSolver> make_linearized(System&, const StageOptions&);
/// Newton on (S), with the incremental potential φ(v) = ½‖v − v*‖²_M + (τᵥ/τ_q) W + τᵥ R as merit where it exists.
std::unique_ptr<StageSolver> make_implicit(System&, const StageOptions&);
/// (S) as the minimum of φ under the system's gap rule, linearised about the last known state ū, P = I:
///
///     nonpenetration (cona)   ḡ + G (q* + τ_q v − q̄) + ∂g/∂t (t − t̄) ≥ 0 for all pairs that are near,
///     velocity (conb)         G v + ∂g/∂t ≥ 0 as well, for those with ḡ ≤ δ.
///
/// `linearized`: φ is that of the forces linearised about ū. Contact acts in the stage only: rates F(u₀) in a scheme do
/// not include it. Throws InputError if the program is built without an interior-point solver.
std::unique_ptr<StageSolver> make_constrained(System&, const StageOptions&, StageSolution);

}  // namespace limber
