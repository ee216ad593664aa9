#pragma once
/// Generalized-α (Chung & Hulbert 1993) with the force at the middle state; α_m = α_f = 0 is Newmark. w = 1−α_f:
///
///     M [(1−α_m) a₁ + α_m a₀] = f(q_w, v_w, t₀ + wh),   x_w = (1−α_f) x₁ + α_f x₀ for x = q, v,
///     q₁ = q₀ + h v₀ + h² [(½−β) a₀ + β a₁],   v₁ = v₀ + h [(1−γ) a₀ + γ a₁].
///
/// The stage's unknown is v_w. a₀ belongs to the time t₀ + (α_m−α_f) h₋₁; if h changes, it is shifted to that of h.

#include <cmath>

#include "limber/time/dynamics.hpp"

namespace limber {

class GeneralizedAlpha final : public TimeIntegrator {
 public:
  GeneralizedAlpha(double alpha_m, double alpha_f, double beta, double gamma)
      : am_(alpha_m), af_(alpha_f), beta_(beta), gamma_(gamma) {}

  /// Least low-frequency dissipation for the spectral radius ρ∞ at infinite frequency.
  static GeneralizedAlpha chung_hulbert(double rho) {
    const double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), c = 1 - am + af;
    return {am, af, c * c / 4, 0.5 - am + af};
  }
  static GeneralizedAlpha newmark(double beta, double gamma) { return {0, 0, beta, gamma}; }
  /// Hilber, Hughes & Taylor, α in [−1/3, 0].
  static GeneralizedAlpha hht(double alpha) { return {0, -alpha, (1 - alpha) * (1 - alpha) / 4, 0.5 - alpha}; }

  SchemeMemory memory() const override { return {.states = 2, .acceleration = true}; }  // u₋₁: only for h₋₁
  bool ends_at_stage() const override { return af_ == 0; }
  ForceWeights force_weights() const override {
    if (af_ != 0) return {.start = 0, .stage = 1, .end = 0};
    return {.start = 1 - gamma_, .stage = 0, .end = gamma_};
  }
  /// After Zienkiewicz & Xie (1991); (αₘ−α_f)h is the shift of the accelerations in time.
  std::optional<ErrorFormula> error_formula(const History&, double) const override {
    const double shift = am_ - af_;
    return ErrorFormula{2, beta_ - 1.0 / 6 + shift / 2, ErrorFormula::From::accelerations, gamma_ - .5 + shift};
  }
  State step(Dynamics& F, const History& u, double h) const override {
    const State& u0 = u[0];
    const Vector a0 = acceleration(F, u, h);
    const double w = 1 - af_, c = beta_ / gamma_, d = w * gamma_ / (1 - am_);
    const State star{u0.q + (w - c) * h * u0.v + w * (0.5 - c) * h * h * a0,
                     u0.v + d * h * ((1 - am_) * (1 - gamma_) / gamma_ - am_) * a0, 0};
    const Vector v = F.solve({star, c * h, d * h, u0.t + w * h, u0}).v;
    const Vector a1 = (v - u0.v) / (w * gamma_ * h) - (1 - gamma_) / gamma_ * a0;
    return {u0.q + h * u0.v + h * h * ((0.5 - beta_) * a0 + beta_ * a1), u0.v + h * ((1 - gamma_) * a0 + gamma_ * a1),
            u0.t + h, a1};
  }

 private:
  /// a₀, shifted in time if h has changed. Without the shift the order falls to 1 when steps keep changing.
  Vector acceleration(Dynamics& F, const History& u, double h) const {
    if (u[0].a.size() == 0) return F.rate(u[0]).v;
    const double r = u.size() < 2 ? 1 : h / (u[0].t - u[1].t);
    if (am_ == af_ || std::abs(r - 1) < 1e-6) return u[0].a;
    const Vector now = F.rate(u[0]).v;
    return now + r * (u[0].a - now);
  }

  double am_, af_, beta_, gamma_;
};

}  // namespace limber
