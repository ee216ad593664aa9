#pragma once
/// TR-BDF2 (γ = ½, eq. (10)) and SDIRK (γ = 2−√2, eq. (11)): trapezoidal to t₀ + γh, then BDF2 to t₁,
///
///     u_γ = u₀ + ½γh (F(u₀) + F(u_γ)),   u₁ = u₀ + (u_γ − u₀)/(γ(2−γ)) + (1−γ)/(2−γ) h F(u₁).
///
/// For γ = 2−√2 both stages have τ = ½γh and hence the same matrix. With a frozen tangent, J(u₀) is used in both
/// stages.

#include <cmath>

#include "limber/time/dynamics.hpp"

namespace limber {

class TrBdf2 final : public TimeIntegrator {
 public:
  enum class Tangents { each_stage, frozen };
  explicit TrBdf2(double gamma, Tangents tangents = Tangents::each_stage) : gamma_(gamma), tangents_(tangents) {}

  ForceWeights force_weights() const override {
    const double w = 1 / (2 * (2 - gamma_));
    return {.start = w, .stage = w, .end = tau_end()};
  }
  /// The difference from the quadrature of order 3 with the same stages.
  std::optional<ErrorFormula> error_formula(const History&, double) const override {
    const double w = 1 / (2 * (2 - gamma_));
    return ErrorFormula{2, (w * gamma_ * gamma_ + tau_end()) / 2 - 1.0 / 6, ErrorFormula::From::stage};
  }
  State step(Dynamics& F, const History& u, double h) const override {
    const double g = gamma_;
    const State ug = stage(F, u[0] + g * h / 2 * F.rate(u[0]), g * h / 2, u[0], u[0]);
    return stage(F, u[0] + 1 / (g * (2 - g)) * (ug - u[0]), tau_end() * h, ug, u[0]);
  }

 private:
  /// (1−γ)/(2−γ), arranged to equal ½γ bitwise where the two agree.
  double tau_end() const {
    const double tau = (1 - gamma_) / (2 - gamma_);
    return std::abs(tau - gamma_ / 2) < 1e-12 ? gamma_ / 2 : tau;
  }
  State stage(Dynamics& F, const State& star, double tau, const State& at, const State& start) const {
    Stage s{star, tau, tau, star.t + tau, at};
    if (tangents_ == Tangents::frozen) s.tangent_at = start;
    return F.solve(s);
  }

  double gamma_;
  Tangents tangents_;
};

}  // namespace limber
