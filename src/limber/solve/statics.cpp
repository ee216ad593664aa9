#include "limber/solve/statics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "limber/core/errors.hpp"
#include "limber/linalg/solvers/corrected_solver.hpp"

namespace limber {
namespace {

/// Draws back to where it began, with the force rate · M (from − q).
struct Anchor {
  Vector from;
  double rate = 0;  // [1/s²]
};

/// r(q) = −f(q) + c f₀ + rate M (q − from), where c f₀ is the part of the load that is still held back.
class Equilibrium final : public NewtonProblem {
 public:
  Equilibrium(System& s, double t, Vector held_back) : system_(s), t_(t), held_back_(std::move(held_back)) {}
  Equilibrium(System& s, double t, Anchor anchor)
      : system_(s), t_(t), held_back_(Vector::Zero(s.size())), anchor_(std::move(anchor)) {}

  Vector residual(const Vector& q) override { return held_back_ + pull(q) - system_.force(state(q)); }
  Vector linearize(const Vector& q, Definiteness d) override {
    Vector r = held_back_ + pull(q) - system_.linearize(state(q), d, tangent_);
    if (anchor_.rate > 0) tangent_.K += anchor_.rate * system_.mass();
    const LowRank& beside = tangent_.low_rank;
    correction_ = {.U = beside.U, .C = beside.any() ? Matrix((-beside.c).asDiagonal()) : Matrix(), .N = {}};
    return r;
  }
  NewtonMatrix matrix() const override {
    return {tangent_.K, system_.symmetric(), system_.space(), &tangent_.low_rank};
  }
  /// What of K is not in matrix().
  const Correction& correction_of_matrix() const { return correction_; }
  std::optional<double> potential(const Vector& q) override {
    const auto p = system_.potentials(state(q));
    if (!p) return std::nullopt;
    return p->stored + system_.space().dot(held_back_, q) +
           (anchor_.rate > 0 ? .5 * system_.space().dot(q - anchor_.from, pull(q)) : 0);
  }
  double residual_merit(const Vector& r) override { return 0.5 * system_.space().squared_norm(r); }
  double max_step(const Vector& q, const Vector& dq) override { return system_.max_step(q, dq, t_, t_); }
  double correction(const Vector& dq) const override { return system_.space().max_abs(dq); }
  double enough(const Vector& q, double tolerance) override {
    return std::min(tolerance, gap_share * system_.smallest_gap(state(q)));
  }

 private:
  State state(const Vector& q) const { return {q, Vector::Zero(q.size()), t_}; }
  Vector pull(const Vector& q) const {
    if (anchor_.rate == 0) return Vector::Zero(q.size());
    return anchor_.rate * system_.apply_mass(q - anchor_.from);
  }

  System& system_;
  double t_;
  Vector held_back_;
  Anchor anchor_;
  Tangent tangent_;
  Correction correction_;
};

Vector solve(Equilibrium& problem, const Vector& q, LinearSolver& linear, const NewtonOptions& options,
             NewtonReport& report, const Space& space) {
  CorrectedSolver corrected(linear, problem.correction_of_matrix(), space);
  return solve_newton(problem, q, corrected, options, report);
}

Vector resting_force(System& system, const Vector& q, double t) { return system.force({q, Vector::Zero(q.size()), t}); }

/// The whole load, or parts of it one after the other.
Vector load(System& system, const State& u, LinearSolver& linear, const NewtonOptions& options, StaticsReport& report) {
  const Vector f0 = resting_force(system, u.q, u.t);
  Vector q = u.q;
  double applied = 0, increment = 1;
  while (applied < 1) {
    const double next = std::min(1.0, applied + increment);
    Equilibrium problem(system, u.t, Vector((1 - next) * f0));
    NewtonReport newton;
    try {
      q = solve(problem, q, linear, options, newton, system.space());
    } catch (const StepFailure& failure) {
      report.iterations += newton.iterations;
      increment /= 2;
      if (increment < 1e-3)
        throw StepFailure(
            fmt::format("no equilibrium found beyond {:.1f} % of the load: {}", 100 * applied, failure.reason),
            report.iterations, newton.residual);
      continue;
    }
    report.iterations += newton.iterations;
    ++report.load_steps;
    applied = next;
    increment *= 1.5;
  }
  return q;
}

/// Steps of pure damping, q ← argmin W(q) + ½ rate ‖q − q_before‖²_M, with a rate that falls: from where the load moves
/// things by a tenth of their size to 10⁻⁴ of that, and on until a step moves nothing further than the tolerance.
Vector settle(System& system, const State& u, LinearSolver& linear, const NewtonOptions& options,
              StaticsReport& report) {
  constexpr int most_steps = 100;
  constexpr double step = .1, far = 1e3, settled = 1e-4;  // the first two in length scales
  const double length = system.length_scale();
  const double first = system.space().max_abs(system.solve_mass(resting_force(system, u.q, u.t))) / (step * length);
  Vector q = u.q;
  if (first == 0) return q;
  std::string why = "they have not come to rest";
  double rate = first;
  for (int k = 0; k < most_steps; ++k) {
    Equilibrium problem(system, u.t, Anchor{q, rate});
    NewtonReport newton;
    try {
      const Vector next = solve(problem, q, linear, options, newton, system.space());
      report.iterations += newton.iterations;
      ++report.load_steps;
      const double moved = system.space().max_abs(next - q);
      q = next;
      if (moved <= options.tolerance && rate <= settled * first) return q;
      if (!(system.space().max_abs(q - u.q) <= far * length)) break;
      rate = std::max(rate / 4, settled / 4 * first);
    } catch (const StepFailure& failure) {
      report.iterations += newton.iterations;
      why = failure.reason;
      rate *= 8;
      if (rate > 1e9 * first) break;
    }
  }
  throw StepFailure(fmt::format("no equilibrium found: parts that nothing holds moved by {:.3g} m: {} (friction does "
                                "not act at rest; pin something, or put something below)",
                                system.space().max_abs(q - u.q), why),
                    report.iterations);
}

}  // namespace

Vector solve_statics(System& system, const State& u, LinearSolver& linear, NewtonOptions options,
                     StaticsReport& report) {
  Vector q;
  try {
    q = load(system, u, linear, options, report);
  } catch (const StepFailure&) {
    if (system.rigid_motions(u).cols() == 0) throw;
    report.load_steps = 0;
    q = settle(system, u, linear, options, report);
  }
  report.residual = system.space().norm(resting_force(system, q, u.t));
  return q;
}

}  // namespace limber
