#include "limber/solve/equilibrium_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"

namespace limber {
namespace {

constexpr double exactly = 1e-9;  // tolerance of linear solves: directions on the path must be accurate
constexpr int most_corrections = 12, wanted_corrections = 4, most_path_steps = 1000;
constexpr int most_beyond = 20;         // steps after the load has turned back
constexpr double first_step = .25;      // of the load
constexpr double shortest_step = 1e-6;  // of the first
constexpr double slow = .7;             // Newton is given up if corrections after the first two shrink by less
constexpr double too_far = 100;         // in length scales: limit of the search

/// Solves with K, definite or not: by the given solver as long as it succeeds, then by LU.
class TangentSolver {
 public:
  TangentSolver(AppliedLoad& load, LinearSolver& linear) : load_(load), linear_(linear) {}

  /// Returns the residual at q.
  Vector set(const Vector& q) {
    Vector r = load_.linearize(q, Definiteness::exact, tangent_);
    const LowRank& beside = tangent_.low_rank;
    correction_ = {.U = beside.U, .C = beside.any() ? Matrix((-beside.c).asDiagonal()) : Matrix(), .N = {}};
    set_ = nullptr;
    return r;
  }

  Vector solve(const Vector& b) {
    Vector x;
    if (!lu_) {
      if (tried(linear_, b, x)) return x;
      const System& system = load_.system();
      lu_ =
          make_linear_solver("lu", system.symmetric() ? Symmetry::symmetric : Symmetry::general, system.traits().nodes);
    }
    if (!tried(*lu_, b, x)) throw StepFailure("the matrix is singular");
    return x;
  }

 private:
  bool tried(LinearSolver& solver, const Vector& b, Vector& x) {
    const Space& space = load_.system().space();
    CorrectedSolver corrected(solver, correction_, space);
    if (set_ != &solver) corrected.set_matrix(tangent_.K);
    set_ = &solver;
    return corrected.solve(b, x, exactly).status == SolveReport::Status::ok && space.all_finite(x);
  }

  AppliedLoad& load_;
  LinearSolver& linear_;
  std::unique_ptr<LinearSolver> lu_;  // used once K was not positive definite
  const LinearSolver* set_ = nullptr;
  Tangent tangent_;
  Correction correction_;
};

/// A point on the path, or a direction of it.
struct PathPoint {
  Vector q;
  double s = 0;
};

class Path {
 public:
  Path(AppliedLoad& load, Vector q, LinearSolver& linear, const NewtonOptions& options, StaticsReport& report)
      : load_(load), solver_(load, linear), options_(options), report_(report), start_(q), at_{std::move(q), 0} {}

  Vector follow() {
    load_.apply(0);
    begin();
    int beyond = 0;
    for (int k = 0; k < most_path_steps; ++k) {
      heed_interrupts();
      take_step();
      if (at_.s == 1) return at_.q;
      if (turned_ && ++beyond > most_beyond) throw failure(fmt::format("has come to {:.4g} % of it", 100 * at_.s));
      if (space().max_abs(at_.q - start_) > too_far * load_.system().length_scale())
        throw failure(fmt::format("has moved by {:.3g} m", space().max_abs(at_.q - start_)));
    }
    throw failure(fmt::format("is not at an end after {} steps", most_path_steps));
  }

 private:
  const Space& space() const { return load_.system().space(); }
  double dot(const PathPoint& a, const PathPoint& b) const { return weight_ * space().dot(a.q, b.q) + a.s * b.s; }
  StepFailure failure(const std::string& why) const {
    const double percent = 100 * largest_;
    return StepFailure(turned_ ? fmt::format("no equilibrium found under the whole load: the path of equilibria turns "
                                             "back at {:.4g} % of the load, the most that it bears, and {}",
                                             percent, why)
                               : fmt::format("no equilibrium found beyond {:.4g} % of the load: the path of "
                                             "equilibria {}",
                                             percent, why),
                       report_.iterations, report_.residual);
  }

  /// dq/ds along the path; long near a limit point.
  Vector rate() { return solver_.solve(-load_.residual_rate(at_.q)); }

  void begin() {
    const auto failed = failure_of([&] {
      solver_.set(at_.q);
      const Vector v = rate();
      // Initially, displacements and load have equal weight.
      weight_ = space().is_zero(v) ? 1 : 1 / space().squared_norm(v);
      direct(v);
    });
    if (failed) throw failure("has no direction at its start: " + failed->reason);
    step_ = first_step / tangent_.s;
    least_step_ = shortest_step * step_;
  }

  /// Sets the direction from dq/ds, with the orientation of the previous one.
  void direct(const Vector& v) {
    PathPoint t{v, 1};
    const double length = std::sqrt(dot(t, t));
    const double sense = tangent_.q.size() > 0 && dot(t, tangent_) < 0 ? -1 : 1;
    t.q *= sense / length;
    t.s = sense / length;
    tangent_ = std::move(t);
  }

  /// One step, shortened as often as necessary.
  void take_step() {
    std::string why;
    while (step_ > least_step_) {
      const PathPoint before = at_;
      const PathPoint direction = tangent_;
      const auto failed = failure_of([&] { advance(); });
      if (!failed) return;
      why = failed->reason;
      at_ = before;
      tangent_ = direction;
      load_.apply(at_.s);
      step_ /= 4;
    }
    throw failure("cannot be followed further: " + why);
  }

  void advance() {
    const double left = 1 - at_.s;
    const bool ends = tangent_.s * step_ >= left;
    const double length = ends ? left / tangent_.s : step_;
    const Vector ahead = length * tangent_.q;
    PathPoint next{at_.q + ahead, ends ? 1 : at_.s + length * tangent_.s};
    if (load_.max_step(at_.q, ahead, next.s) < 1) throw StepFailure("elements would turn inside out");
    int corrections = correct(next, space().max_abs(ahead), ends);
    if (next.s > 1) {  // Newton from there back to the whole load
      const double part = (1 - at_.s) / (next.s - at_.s);
      next = {at_.q + part * (next.q - at_.q), 1};
      corrections = std::max(corrections, correct(next, space().max_abs(next.q - at_.q), true));
    }
    const PathPoint before = std::exchange(at_, std::move(next));
    const PathPoint from = tangent_;
    direct(rate());
    remember(before, from);
    ++report_.load_steps;
    load_.carries(at_.s);
    step_ = length * std::clamp(std::sqrt(wanted_corrections / std::max(1., double(corrections))), .5, 2.);
  }

  /// Newton from a predicted point, with s held or on the plane normal to the direction. Returns the number of
  /// corrections.
  int correct(PathPoint& p, double reach, bool s_held) {
    const PathPoint predicted = p;
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < most_corrections; ++k) {
      heed_interrupts();
      load_.apply(p.s);
      load_.tell(report_.iterations);
      const Vector r = solver_.set(p.q);
      report_.residual = space().norm(r);
      if (!std::isfinite(report_.residual)) throw StepFailure("the residual is not finite");
      Vector dq = solver_.solve(-r);
      double ds = 0;
      if (!s_held) {
        const Vector v = solver_.solve(-load_.residual_rate(p.q));
        const PathPoint off{p.q - predicted.q + dq, p.s - predicted.s};
        ds = -dot(tangent_, off) / dot(tangent_, {v, 1});
        dq += ds * v;
      }
      ++report_.iterations;
      const double size = space().max_abs(dq);
      const bool done = size <= options_.tolerance;
      if (!done && (!(size <= reach) || (k > 1 && size > slow * last)))
        throw StepFailure(fmt::format("Newton does not converge (last correction {:.2e} m)", size));
      if (load_.max_step(p.q, dq, p.s + ds) < 1) throw StepFailure("elements would turn inside out");
      p.q += dq;
      p.s += ds;
      if (done) {
        load_.apply(p.s);
        solver_.set(p.q);
        return k + 1;
      }
      last = size;
    }
    throw StepFailure(fmt::format("Newton does not converge (last correction {:.2e} m)", last));
  }

  /// The largest load, between two points at which its direction of change reverses.
  void remember(const PathPoint& before, const PathPoint& direction) {
    largest_ = std::max(largest_, at_.s);
    if (!(direction.s > 0 && tangent_.s < 0)) return;
    const PathPoint way{at_.q - before.q, at_.s - before.s};
    const double curvature = (direction.s - tangent_.s) / std::sqrt(dot(way, way));
    largest_ = std::max(largest_, before.s + direction.s * direction.s / (2 * curvature));
    if (!turned_)
      report_.notes.push_back(
          fmt::format("the path of equilibria turns back at {:.4g} % of the load: loaded slowly, things jump there",
                      100 * largest_));
    turned_ = true;
  }

  AppliedLoad& load_;
  TangentSolver solver_;
  const NewtonOptions& options_;
  StaticsReport& report_;
  Vector start_;
  PathPoint at_, tangent_;
  double weight_ = 1;  // of displacements [1/m²]
  double step_ = 0, least_step_ = 0, largest_ = 0;
  bool turned_ = false;
};

}  // namespace

Vector follow_equilibria(AppliedLoad& load, Vector q, LinearSolver& linear, const NewtonOptions& options,
                         StaticsReport& report) {
  return Path(load, std::move(q), linear, options, report).follow();
}

}  // namespace limber
