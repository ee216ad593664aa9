#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/time/modal/complement_solver.hpp"
#include "limber/time/moving_start.hpp"
#include "limber/time/solver_bank.hpp"
#include "limber/time/stage.hpp"
#include "limber/time/stage_problem.hpp"

namespace limber {
namespace {

class Implicit final : public StageSolver {
 public:
  Implicit(System& system, const StageOptions& o)
      : options_(o),
        symmetry_(system.symmetric() ? Symmetry::symmetric : Symmetry::general),
        bank_(o.linear_solver, symmetry_, system.traits().nodes),
        scaling_(o.scaling) {
    options_.newton.tolerance *= system.length_scale();
    options_.newton.scale *= system.length_scale();
  }

  StageResult solve_stage(System& system, const Stage& s) override {
    ++counts_.stages;
    if (s.all_modal()) return {s.state(s.star.v)};
    if (s.tau_q == 0 && !system.velocity_dependent())  // q is known and f does not depend on v: explicit
      return {s.state(s.star.v + s.tau_v * system.solve_mass(system.force({s.star.q, s.star.v, s.t})))};
    newton_ = {};
    ComplementSolver complement(bank_.at(s.tau_q, s.tau_v), s.modes, symmetry_, Indefinite::report, defect_,
                                system.traits().nodes);
    CorrectedSolver linear(complement, correction_, system.space());
    State u = system.lag() == Lag::each_solution ? solve_lagged(system, s, linear) : solve_once(system, s, linear);
    if (system.contact()) touched_ = touched_ || std::isfinite(system.smallest_gap(u));
    return {std::move(u), newton_.iterations, newton_.residual};
  }

  void begin_step(System&, const State&) override {
    scaling_.begin_step();
    touched_ = false;
  }
  bool touched() const override { return touched_; }
  StageCounts counts() const override { return counts_; }
  SolverCounts linear_counts() const override { return bank_.counts(); }

 private:
  State solve_once(System& system, const Stage& s, LinearSolver& linear) {
    StageProblem problem(system, s, tangent_, A_, correction_, scaling_);
    begin_iterates(system, s);
    const bool meets = !s.modes && s.tau_q != 0 && (problem.under_way() || runs_into(problem, s));
    const auto along = meets ? move_along(system, s.at, s.t) : std::nullopt;
    if (!along) return s.state(with_friction(problem, start(problem, s), linear));
    State found;
    const auto failed = failure_of([&] {
      if (problem.under_way()) problem.moved_to(along->t);
      found = s.state(with_friction(problem, (along->q - s.star.q) / s.tau_q, linear));
    });
    if (!failed) return found;
    if (failed->is<NoMinimum>()) failed->again();
    // The guess was a bad one.
    StageProblem again(system, s, tangent_, A_, correction_, scaling_);
    begin_iterates(system, s);
    return s.state(with_friction(again, start(again, s), linear));
  }

  static void begin_iterates(System& system, const Stage& s) {
    if (system.lag() != Lag::each_iterate) return;
    system.update_lagged(s.at);
    system.contact()->begin_iterates();
  }

  /// Friction that became lagged during the iteration is based on an iterate. Coupled friction is tried once more from
  /// the solution obtained.
  Vector with_friction(StageProblem& problem, Vector v, LinearSolver& linear) {
    v = newton(problem, std::move(v), linear);
    ContactPart* contact = problem.system().contact();
    if (!contact || !contact->couple_again()) return v;
    NewtonOptions few = options_.newton;
    few.max_iterations = again;
    NewtonReport report;
    Vector coupled;
    const auto failed = failure_of([&] { coupled = solve_newton(problem, v, linear, few, report); });
    count(report);
    if (failed) return v;
    return coupled;
  }

  Vector newton(StageProblem& problem, Vector v, LinearSolver& linear) {
    NewtonReport report;
    NewtonOptions options = options_.newton;
    if (const ContactPart* contact = problem.system().contact(); contact && contact->collides())
      options.max_iterations = options_.iterations_with_contact.value_or(options.max_iterations);
    const auto failed = failure_of([&] { v = solve_newton(problem, std::move(v), linear, options, report); });
    count(report);
    if (!failed) return v;
    if (problem.under_way() && problem.blocked())
      throw StepFailure(problem.driven() + " cannot move on: something that cannot yield is in the way",
                        report.iterations, report.residual);
    failed->again();
  }

  /// Fixed-point iteration: friction from the normal forces and sliding directions of the last solution.
  State solve_lagged(System& system, const Stage& s, LinearSolver& linear) {
    system.update_lagged(s.at);
    Stage from = s;
    StageProblem problem(system, from, tangent_, A_, correction_, scaling_);
    Vector v = newton(problem, start(problem, s), linear);
    for (int k = 1; k < most_lags; ++k) {
      system.update_lagged(s.state(v));
      from.at = s.state(v);
      StageProblem again(system, from, tangent_, A_, correction_, scaling_);
      const Vector next = newton(again, v, linear);
      const double change = again.correction(next - v);
      v = next;
      if (change <= again.enough(v, options_.newton.tolerance)) return s.state(std::move(v));
    }
    throw StepFailure("friction that lags behind does not settle; use contact.friction_form \"coupled\"");
  }

  void count(const NewtonReport& r) {
    newton_.iterations += r.iterations;
    newton_.residual = r.residual;
    counts_.newton_iterations += r.iterations;
    counts_.projections += r.projections;
  }

  /// Starts from the last velocity (uniform motion) or the last position (which is in the domain of every force),
  /// whichever has the smaller merit.
  static Vector start(StageProblem& problem, const Stage& s) {
    Vector move = s.admissible(s.at.v);
    if (s.tau_q == 0) return move;
    Vector stay = s.admissible((s.at.q - s.star.q) / s.tau_q);
    if (problem.collides() && problem.max_step(stay, move - stay) < 1) return stay;
    const auto go_on = problem.potential(move);
    if (!go_on) return problem.max_step(stay, move - stay) < 1 ? stay : move;
    return *go_on <= problem.potential(stay).value_or(std::numeric_limits<double>::infinity()) ? move : stay;
  }

  /// Whether uniform motion would lead to a crossing.
  static bool runs_into(StageProblem& problem, const Stage& s) {
    const Vector stay = (s.at.q - s.star.q) / s.tau_q;
    return problem.collides() && problem.max_step(stay, s.at.v - stay) < 1;
  }

  static constexpr int most_lags = 50;
  static constexpr int again = 8;  // iterations when friction is coupled again: near the solution few suffice

  StageOptions options_;
  Symmetry symmetry_;
  SolverBank bank_;
  double defect_ = 0;  // of the modes, see ComplementSolver
  Correction correction_;
  Scaling scaling_;
  Tangent tangent_;
  SparseMatrix A_;
  StageCounts counts_;
  NewtonReport newton_;  // of this stage
  bool touched_ = false;
};

}  // namespace

std::unique_ptr<StageSolver> make_implicit(System& system, const StageOptions& options) {
  return std::make_unique<Implicit>(system, options);
}

}  // namespace limber
