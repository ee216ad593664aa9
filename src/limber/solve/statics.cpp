#include "limber/solve/statics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

/// r(q) = −f(q) + c f₀, where c f₀ is the part of the load that is still held back.
class Equilibrium final : public NewtonProblem {
 public:
  Equilibrium(const System& s, double t, Vector held_back) : system_(s), t_(t), held_back_(std::move(held_back)) {}

  Vector residual(const Vector& q) override { return held_back_ - system_.force(state(q)); }
  Vector linearize(const Vector& q, Definiteness d) override {
    return held_back_ - system_.linearize(state(q), d, tangent_);
  }
  const SparseMatrix& matrix() const override { return tangent_.K; }
  bool symmetric() const override { return system_.symmetric(); }
  std::optional<double> potential(const Vector& q) override {
    const auto p = system_.potentials(state(q));
    if (!p) return std::nullopt;
    return p->stored + held_back_.dot(q);
  }
  double residual_merit(const Vector& r) override { return 0.5 * r.squaredNorm(); }
  double max_step(const Vector& q, const Vector& dq) override { return system_.max_step(q, dq, t_, t_); }
  double correction(const Vector& dq) const override { return dq.lpNorm<Eigen::Infinity>(); }
  double enough(const Vector& q, double tolerance) override {
    return std::min(tolerance, gap_share * system_.smallest_gap(state(q)));
  }

 private:
  State state(const Vector& q) const { return {q, Vector::Zero(q.size()), t_}; }

  const System& system_;
  double t_;
  Vector held_back_;
  Tangent tangent_;
};

}  // namespace

Vector solve_statics(const System& system, const State& u, LinearSolver& linear, NewtonOptions options,
                     StaticsReport& report) {
  const Vector f0 = system.force({u.q, Vector::Zero(u.q.size()), u.t});
  Vector q = u.q;
  double applied = 0, increment = 1;
  while (applied < 1) {
    const double next = std::min(1.0, applied + increment);
    Equilibrium problem(system, u.t, (1 - next) * f0);
    NewtonReport newton;
    try {
      q = solve_newton(problem, q, linear, options, newton);
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
  report.residual = system.force({q, Vector::Zero(q.size()), u.t}).norm();
  return q;
}

}  // namespace limber
