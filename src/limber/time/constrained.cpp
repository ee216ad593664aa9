#include <cmath>
#include <optional>

#include "limber/core/errors.hpp"
#include "limber/core/extremes.hpp"
#include "limber/solve/interior_point.hpp"
#include "limber/time/partial_system.hpp"
#include "limber/time/stage.hpp"
#include "limber/time/stage_problem.hpp"

namespace limber {
namespace {

/// First solves the stage without contact. If that satisfies all inequalities, it is the solution. Otherwise it bounds
/// how far nodes move, and thus which pairs matter.
class Constrained final : public StageSolver {
 public:
  Constrained(System& system, const StageOptions& o, StageSolution solution)
      : free_(solution == StageSolution::linearized ? make_linearized(system, o) : make_implicit(system, o)),
        solution_(solution),
        tolerance_(o.newton.tolerance * system.length_scale()),
        scaling_(o.scaling) {}

  StageResult solve_stage(System& system, const Stage& s) override {
    if (s.tau_q == 0) throw StepFailure("an inequality on gaps needs a stage that moves positions");
    StageResult found = free_->solve_stage(system, s);
    State& next = found.u;
    std::optional<LinearForce> linear;
    for (int round = 0; round < most_rounds; ++round) {
      const double distance = 1.01 * furthest(next.q - s.at.q);
      const GapConstraints gaps = system.gaps(s.at, s.t, distance);
      const Vector c = bounds(gaps, system.gap_rule(), s);
      if (c.size() == 0 || largest(c - gaps.G * next.v) <= negligible * tolerance_ / s.tau_q) {
        system.traits().gaps->report_forces(gaps, Vector::Zero(c.size()));
        return found;
      }
      if (solution_ == StageSolution::linearized && !linear) linearize(system, s, linear);
      const auto minimum = minimise(linear ? static_cast<System&>(*linear) : system, s, gaps.G, c, next.v);
      next = s.state(minimum.x);
      found.iterations += minimum.iterations;
      // M (v − v*) = τ_v f + Gᵀλ
      system.traits().gaps->report_forces(gaps, minimum.multipliers / s.tau_v);
      if (furthest(next.q - s.at.q) <= distance) return found;
    }
    throw StepFailure("contact throws something further than its neighbours were looked for");
  }

  void begin_step(System& system, const State& u) override { free_->begin_step(system, u); }
  StageCounts counts() const override {
    StageCounts c = free_->counts();
    c.newton_iterations += iterations_;
    return c;
  }
  SolverCounts linear_counts() const override { return free_->linear_counts(); }

 private:
  /// An upper bound of the distance any node moves.
  static double furthest(const Vector& dq) { return std::sqrt(3) * largest_magnitude(dq); }

  /// C v ≥ c with C = G: the gap at the end of the stage is not negative; under the rule `velocity`, gaps in contact do
  /// not decrease either.
  static Vector bounds(const GapConstraints& gaps, GapRule rule, const Stage& s) {
    Vector open = -(gaps.gap + gaps.G * (s.star.q - s.at.q) + (s.t - s.at.t) * gaps.rate) / s.tau_q;
    if (rule == GapRule::nonpenetration) return open;
    return (gaps.gap.array() <= gaps.contact).select(open.cwiseMax(-gaps.rate), open);
  }

  static void linearize(System& system, const Stage& s, std::optional<LinearForce>& linear) {
    State about = s.at;
    about.t = s.t;
    linear.emplace(system, about, s.tangent_at, s.known);
  }

  InteriorPointSolution minimise(System& system, const Stage& s, const SparseMatrix& C, const Vector& c,
                                 const Vector& start) {
    StageProblem problem(system, s, tangent_, A_, correction_, scaling_);
    const InteriorPointOptions options{.tolerance = tolerance_ / s.tau_q,
                                       .curvature = Vector(system.mass().diagonal()).minCoeff()};  // local: one process
    InteriorPointSolution found = solve_interior_point(problem, C, c, start, options);
    iterations_ += found.iterations;
    return found;
  }

  static constexpr int most_rounds = 4;
  static constexpr double negligible = 1e-3;  // of the tolerance

  std::unique_ptr<StageSolver> free_;
  StageSolution solution_;
  double tolerance_;  // [m]
  long iterations_ = 0;
  Scaling scaling_;
  Correction correction_;
  Tangent tangent_;
  SparseMatrix A_;
};

}  // namespace

std::unique_ptr<StageSolver> make_constrained(System& system, const StageOptions& options, StageSolution solution) {
  if (!has_interior_point())
    throw InputError("contact.formulation",
                     "this program is built without IPOPT, which the inequalities need; use \"barrier\"");
  return std::make_unique<Constrained>(system, options, solution);
}

}  // namespace limber
