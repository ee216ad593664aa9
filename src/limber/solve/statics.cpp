#include "limber/solve/statics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/linalg/solvers/factor.hpp"
#include "limber/solve/equilibrium_path.hpp"
#include "limber/solve/free_motions.hpp"

namespace limber {
namespace {

/// A pull back to the starting point by the force rate · M (from − q).
struct Anchor {
  Vector from;
  double rate = 0;  // [1/s²]
};

/// r(q, s) + rate M (q − from) at the applied share s.
class Equilibrium final : public NewtonProblem {
 public:
  Equilibrium(const AppliedLoad& load, const StaticsReport& before, Anchor anchor = {})
      : load_(load), before_(before), system_(load.system()), anchor_(std::move(anchor)) {}

  Vector residual(const Vector& q) override { return load_.residual(q) + pull(q); }
  Vector linearize(const Vector& q, Definiteness d) override {
    if (d == Definiteness::exact) load_.tell(before_.iterations + iterations_++);
    Vector r = load_.linearize(q, d, tangent_) + pull(q);
    if (anchor_.rate > 0) tangent_.K += anchor_.rate * system_.mass();
    const LowRank& beside = tangent_.low_rank;
    correction_ = {.U = beside.U, .C = beside.any() ? Matrix((-beside.c).asDiagonal()) : Matrix(), .N = {}};
    return r;
  }
  NewtonMatrix matrix() const override {
    return {tangent_.K, system_.symmetric(), system_.space(), &tangent_.low_rank};
  }
  /// The part of K not contained in matrix().
  const Correction& correction_of_matrix() const { return correction_; }
  std::optional<double> potential(const Vector& q) override {
    const auto p = load_.potential(q);
    if (!p || anchor_.rate == 0) return p;
    return *p + .5 * system_.space().dot(q - anchor_.from, pull(q));
  }
  double residual_merit(const Vector& r) override { return 0.5 * system_.space().squared_norm(r); }
  double max_step(const Vector& q, const Vector& dq) override { return load_.max_step(q, dq, load_.share()); }
  double correction(const Vector& dq) const override { return system_.space().max_abs(dq); }
  double enough(const Vector& q, double tolerance) override {
    return std::min(tolerance, gap_share * system_.smallest_gap(load_.state(q)));
  }

 private:
  Vector pull(const Vector& q) const {
    if (anchor_.rate == 0) return Vector::Zero(q.size());
    return anchor_.rate * system_.apply_mass(q - anchor_.from);
  }

  const AppliedLoad& load_;
  const StaticsReport& before_;
  System& system_;
  Anchor anchor_;
  Tangent tangent_;
  Correction correction_;
  int iterations_ = 0;
};

/// The direction in which the matrix is closest to singular, by inverse iteration, scaled to a largest entry of 1.
Vector softest(const SparseMatrix& K) {
  constexpr int rounds = 20;
  const auto lu = make_linear_solver("lu", Symmetry::symmetric);
  lu->set_matrix(K);
  Vector x(K.cols()), y;
  for (Index i = 0; i < x.size(); ++i) x[i] = 1 + .5 * std::sin(static_cast<double>(i));  // no symmetry of a body
  for (int k = 0; k < rounds; ++k) {
    if (lu->solve(x, y, 1e-6).status != SolveReport::Status::ok) break;
    x = y / y.cwiseAbs().maxCoeff();  // local: one process
  }
  return x / x.cwiseAbs().maxCoeff();  // local: one process
}

/// Data shared by the stages of statics.
class Statics {
 public:
  Statics(System& system, const State& u, LinearSolver& linear, const NewtonOptions& options, StaticsReport& report,
          const StaticsWatch& watch)
      : system_(system),
        start_(u),
        linear_(linear),
        options_(options),
        report_(report),
        load_(system, u, watch),
        space_(system.space()) {}

  Vector solve() {
    Vector q = found();
    load_.apply(1);
    report_.residual = space_.norm(load_.residual(q));
    return q;
  }

 private:
  Vector found() {
    Vector q;
    if (!failure_of([&] { q = whole_at_once(); })) return q;
    // It was too much at once.
    const auto failed = failure_of([&] { q = system_.contact() ? in_parts() : along_the_path(); });
    if (!failed) return q;
    if (!can_move_freely()) failed->again();
    load_.apply(1);
    report_.load_steps = 0;
    report_.notes.clear();
    return settle();
  }

  Vector newton(Equilibrium& problem, const Vector& q, const NewtonOptions& options) {
    CorrectedSolver corrected(linear_, problem.correction_of_matrix(), space_);
    NewtonReport newton;
    Vector found;
    const auto failed = failure_of([&] { found = solve_newton(problem, q, corrected, options, newton); });
    report_.iterations += newton.iterations;
    report_.residual = newton.residual;
    if (failed) failed->again();
    return found;
  }

  Vector whole_at_once() {
    NewtonOptions options = options_;
    load_.apply(1);
    // Without a potential, the residual is a poor merit far from the solution.
    if (!system_.contact() && !load_.potential(start_.q))
      options.max_iterations = std::min(options.max_iterations, patience_);
    Equilibrium problem(load_, report_);
    Vector q = newton(problem, start_.q, options);
    ++report_.load_steps;
    return q;
  }

  /// With contact: Newton at increasing shares, each starting from the tangent prediction as far as the way is free.
  Vector in_parts() {
    Vector q = start_.q;
    double applied = 0, increment = .5;
    load_.apply(0);
    while (applied < 1) {
      heed_interrupts();
      const double next = std::min(1.0, applied + increment);
      const auto failed = failure_of([&] {
        Vector ahead = predicted(q, next - applied);
        double free = load_.max_step(q, ahead, next);
        if (free < 1) free = load_.max_step(q, ahead.setZero(), next);  // prescribed motion alone
        if (free * (next - applied) < least_part_) throw StepFailure("something is in the way of what is prescribed");
        const double share = free < 1 ? applied + free * (next - applied) : next;
        load_.apply(share);
        Equilibrium problem(load_, report_);
        q = newton(problem, q + free * ahead, options_);
        applied = share;
      });
      if (failed) {
        load_.apply(applied);
        increment /= 2;
        if (increment < least_part_)
          throw StepFailure(
              fmt::format("no equilibrium found beyond {:.1f} % of the load: {}", 100 * applied, failed->reason),
              report_.iterations, report_.residual);
        continue;
      }
      load_.carries(applied);
      ++report_.load_steps;
      increment *= 1.5;
    }
    return q;
  }

  /// First-order prediction of the change of q as the share grows by `more`; zero if it cannot be computed.
  Vector predicted(const Vector& q, double more) {
    Equilibrium problem(load_, report_);
    problem.linearize(q, Definiteness::exact);
    CorrectedSolver corrected(linear_, problem.correction_of_matrix(), space_);
    corrected.set_matrix(problem.matrix().A);
    Vector d;
    const auto solved = corrected.solve(-more * load_.residual_rate(q), d, 1e-4).status;
    return solved == SolveReport::Status::ok && space_.all_finite(d) ? d : Vector::Zero(q.size());
  }

  Vector along_the_path() { return stable(follow_equilibria(load_, start_.q, linear_, options_, report_)); }

  /// An equilibrium found along a path may be unstable. It is then left, in either direction, for a stable one.
  Vector stable(Vector q);

  bool can_move_freely() const {
    if (system_.rigid_motions(start_).cols() > 0) return true;
    const auto* parts = system_.traits().nodes.parts;
    const auto free = parts ? free_motions(system_, start_, *parts) : std::vector<FreeMotions>{};
    return std::any_of(free.begin(), free.end(), [](const FreeMotions& part) { return part.any(); });
  }
  Vector settle();

  static constexpr int patience_ = 20;         // iterations with the whole load
  static constexpr double least_part_ = 1e-3;  // of the load

  System& system_;
  const State& start_;
  LinearSolver& linear_;
  const NewtonOptions& options_;
  StaticsReport& report_;
  AppliedLoad load_;
  const Space& space_;
};

/// Steps of pure damping, q ← argmin W(q) + ½ rate ‖q − q_before‖²_M, with decreasing rate: from a rate at which the
/// load moves things by a tenth of their size down to 10⁻⁴ of it, and further until a step moves nothing by more than
/// the tolerance.
Vector Statics::settle() {
  constexpr int most_steps = 100;
  constexpr double step = .1, far = 1e3, settled = 1e-4;  // the first two in length scales
  const double length = system_.length_scale();
  Vector q = start_.q;
  const double first = space_.max_abs(system_.solve_mass(load_.residual(q))) / (step * length);
  if (first == 0) return q;
  std::string why = "they have not come to rest";
  double rate = first;
  for (int k = 0; k < most_steps; ++k) {
    Equilibrium problem(load_, report_, Anchor{q, rate});
    Vector next;
    if (const auto failed = failure_of([&] { next = newton(problem, q, options_); })) {
      why = failed->reason;
      rate *= 8;
      if (rate > 1e9 * first) break;
      continue;
    }
    ++report_.load_steps;
    const double moved = space_.max_abs(next - q);
    q = next;
    if (moved <= options_.tolerance && rate <= settled * first) return q;
    if (!(space_.max_abs(q - start_.q) <= far * length)) break;
    rate = std::max(rate / 4, settled / 4 * first);
  }
  throw StepFailure(fmt::format("no equilibrium found: parts that nothing holds moved by {:.3g} m: {} (friction does "
                                "not act at rest; pin something, or put something below)",
                                space_.max_abs(q - start_.q), why),
                    report_.iterations);
}

Vector Statics::stable(Vector q) {
  load_.apply(1);
  Equilibrium problem(load_, report_);
  problem.linearize(q, Definiteness::exact);
  const NewtonMatrix K = problem.matrix();
  if (!K.symmetric || K.apart->any() || space_.shared() || positive_definite(K.A)) return q;
  const Vector way = .01 * system_.length_scale() * softest(K.A);
  for (const double sign : {1., -1.}) {
    Vector found;
    if (failure_of([&] { found = newton(problem, q + sign * way, options_); })) continue;
    ++report_.load_steps;
    report_.notes.push_back(
        "the path of equilibria became unstable (something buckles): the shape is that of a stable "
        "equilibrium beside it; which one of several is a matter of chance");
    return found;
  }
  throw StepFailure(
      "no stable equilibrium found: the one at 100 % of the load that the path from the start leads to "
      "is unstable",
      report_.iterations, report_.residual);
}

}  // namespace

Vector solve_statics(System& system, const State& u, LinearSolver& linear, NewtonOptions options, StaticsReport& report,
                     const StaticsWatch& watch) {
  return Statics(system, u, linear, options, report, watch).solve();
}

}  // namespace limber
