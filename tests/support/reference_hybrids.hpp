#pragma once
/// One step of the exponential and hybrid methods as dense formulas in x = (q, v): Q̂ = diag(P, P), G = (I−Q̂)F,
/// H = Q̂F, J_G = (I−Q̂)J(I−Q̂), J_H = Q̂J, with the two lowest modes at the step's start, or at an earlier one.

#include <Eigen/Eigenvalues>
#include <cmath>
#include <utility>

#include "support/first_order.hpp"

namespace limber::test {

/// φ₁(A) b by Taylor's series of exp of [[A, b], [0, 0]], scaled and squared in extended precision.
inline Vector series_phi1(const Matrix& A, const Vector& b) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const Index n = A.rows();
  Wide B = Wide::Zero(n + 1, n + 1);
  B.topLeftCorner(n, n) = A.cast<long double>();
  B.topRightCorner(n, 1) = b.cast<long double>();
  const int halvings = std::max(0, static_cast<int>(std::ceil(std::log2(static_cast<double>(B.norm()) + 1e-300))) + 4);
  B *= std::pow(2.0L, -halvings);
  Wide E = Wide::Identity(n + 1, n + 1), term = E;
  for (int i = 1; i < 25; ++i) {
    term = term * B / static_cast<long double>(i);
    E += term;
  }
  for (int i = 0; i < halvings; ++i) E = (E * E).eval();
  return E.topRightCorner(n, 1).cast<double>();
}

/// φ₂(Z) b, φ₂(z) = (φ₁(z) − 1)/z: φ₁ of [[Z, b], [0, 0]] has it in its last column.
inline Vector series_phi2(const Matrix& Z, const Vector& b) {
  const Index n = b.size();
  Matrix larger = Matrix::Zero(n + 1, n + 1);
  larger.topLeftCorner(n, n) = Z;
  larger.topRightCorner(n, 1) = b;
  return series_phi1(larger, Vector::Unit(n + 1, n)).head(n);
}

/// ∂F/∂t.
inline Vector rate_of_F(const FirstOrder& s, const Vector& x, double t) {
  const double d = 1e-4;
  return (8 * (s.F(x, t + d) - s.F(x, t - d)) - (s.F(x, t + 2 * d) - s.F(x, t - 2 * d))) / (12 * d);
}

/// u₁ = u₀ + h φ₁(hJ) F(u₀) with t among the coordinates.
inline Vector reference_ere(const FirstOrder& s, const Vector& x, double t, double h) {
  const Index m = x.size();
  Matrix J = Matrix::Zero(m + 1, m + 1);
  J.topLeftCorner(m, m) = s.J(x, t);
  J.topRightCorner(m, 1) = rate_of_F(s, x, t);
  Vector F(m + 1);
  F << s.F(x, t), 1;
  return x + h * series_phi1(h * J, F).head(m);
}

class DenseSplit {
 public:
  enum class Coupled { no, by_stiffness, yes };
  DenseSplit(const FirstOrder& s, const Vector& x0, double t0, int modes) : s_(s) {
    const Index n = s.n();
    const Matrix K = -s.force_jacobian(x0, t0).leftCols(n);
    const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> eigen((K + K.transpose()) / 2, s.mass());
    const Matrix X = eigen.eigenvectors().leftCols(modes);
    R_ = Matrix::Zero(2 * n, 2 * n);
    R_.topLeftCorner(n, n) = R_.bottomRightCorner(n, n) = X * X.transpose() * s.mass();
    Q_ = Matrix::Identity(2 * n, 2 * n) - R_;
  }

  const Matrix& Q() const { return Q_; }
  Vector H(const Vector& x, double t) const { return Q_ * s_.F(x, t); }
  /// φ₁(τ J_G) [G(x) + ½τ c], c = coupling(x, t, H(x)).
  Vector mean_modal_rate(const Vector& x, double t, double tau, Coupled coupled) const {
    return series_phi1(tau * J_G(x, t), R_ * s_.F(x, t) + tau / 2 * coupling(x, t, H(x, t), coupled));
  }
  /// τ² φ₂(τ J_G) c' − ½τ² φ₁(τ J_G) c, c' = coupling(x, t, Q̂(y − x)/τ): the complement went from x to y.
  Vector missed(const Vector& x, double t, double tau, const Vector& y, Coupled coupled) const {
    const Matrix Z = tau * J_G(x, t);
    const Vector c = coupling(x, t, H(x, t), coupled), went = coupling(x, t, Q_ * (y - x) / tau, coupled);
    return tau * tau * (series_phi2(Z, went) - series_phi1(Z, c) / 2);
  }
  /// x = c + τ H(x, t), by Newton from `at`.
  Vector implicit(const Vector& c, double tau, double t, const Vector& at) const {
    Vector x = at;
    double size = 1;
    for (int k = 0; k < 40 && size > 1e-15; ++k) {
      const Vector dx =
          (Matrix::Identity(x.size(), x.size()) - tau * Q_ * s_.J(x, t)).partialPivLu().solve(c + tau * H(x, t) - x);
      x += dx;
      size = dx.norm();
    }
    EXPECT_LT(size, 1e-12) << "the reference did not converge";
    return x;
  }
  /// x = c + τ [H(at, t) + J_H (x − at)].
  Vector linearized(const Vector& c, double tau, double t, const Vector& at) const {
    return at + (Matrix::Identity(c.size(), c.size()) - tau * Q_ * s_.J(at, t))
                    .partialPivLu()
                    .solve(c + tau * H(at, t) - at);
  }

 private:
  Matrix J_G(const Vector& x, double t) const { return R_ * s_.J(x, t) * R_; }
  /// (I−Q̂)(J r + ∂F/∂t), for a complement with the rate r; by_stiffness: with −M⁻¹K alone for J, and without ∂F/∂t.
  Vector coupling(const Vector& x, double t, const Vector& r, Coupled coupled) const {
    if (coupled == Coupled::no) return Vector::Zero(x.size());
    if (coupled == Coupled::yes) return R_ * (s_.J(x, t) * r + rate_of_F(s_, x, t));
    Vector moved = Vector::Zero(x.size());
    moved.head(s_.n()) = r.head(s_.n());
    Vector pushed = s_.J(x, t) * moved;
    pushed.head(s_.n()).setZero();
    return R_ * pushed;
  }

  const FirstOrder& s_;
  Matrix R_, Q_;
};

enum class Stages { newton, linearized };
/// Modes after a stage: as its formula says, or corrected by where the complement went, as kept modes are.
enum class ModesAfter { plain, corrected };

struct HybridPast {
  const Vector& u0;
  double t0;
  const Vector* before;  // u₋₁, if any
  double h_before;
};

class HybridStep {
 public:
  HybridStep(const FirstOrder& s, DenseSplit split, const HybridPast& past, double h, Stages stages, ModesAfter modes)
      : s_(s), split_(std::move(split)), u_(past), h_(h), stages_(stages), modes_(modes) {}

  /// (beere), (SIERE):  u₁ = u₀ + h H(u₁) + h φ₁(hJ_G) G(u₀).
  Vector euler(DenseSplit::Coupled coupled) const { return stage(u_.u0, h_, u_.u0, u_.t0, h_, coupled); }
  /// u₁ = u₀ + r²/(1+2r) Q̂(u₀−u₋₁) + (1+r)/(1+2r) h H(u₁) + h φ₁(hJ_G) G(u₀).
  Vector bdf2() const {
    if (!u_.before) return euler(yes);
    const double r = h_ / u_.h_before;
    const Vector c = u_.u0 + r * r / (1 + 2 * r) * (split_.Q() * (u_.u0 - *u_.before));
    return stage(c, (1 + r) / (1 + 2 * r) * h_, u_.u0, u_.t0, h_, yes);
  }
  /// (BDF2ERE):  û = ⅓(4u₀ − u₋₁ + 2h φ₁(hJ_G) G(u₀)),  u₁ = û + ⅔h H(u₁), for any ratio of steps.
  Vector bdf2_printed() const {
    if (!u_.before) return euler(no);
    const double r = h_ / u_.h_before, tau = (1 + r) / (1 + 2 * r) * h_;
    const Vector past = ((1 + r) * (1 + r) * u_.u0 - r * r * *u_.before) / (1 + 2 * r);
    return solve(past + tau * modal(u_.u0, u_.t0, h_, no), tau, u_.t0 + h_, u_.u0);
  }
  /// u_½ = u₀ + ¼h [H(u₀) + H(u_½)] + ½h φ₁(½hJ_G) G(u₀),
  /// u₁ = u_½ + ⅓ Q̂(u_½−u₀) + ⅓h H(u₁) + ½h φ₁(½hJ_G) G(u_½).
  Vector tr_bdf2() const {
    const double h = h_, t = u_.t0;
    const Vector half = stage(u_.u0 + h / 4 * split_.H(u_.u0, t), h / 4, u_.u0, t, h / 2, yes);
    return stage(half + (split_.Q() * (half - u_.u0)) / 3, h / 3, half, t + h / 2, h / 2, yes);
  }
  /// (26n): u_½ by (10a), unsplit;  u₁ = u₀ + 4/3 (u_½−u₀) + h/3 [H(u₁) + φ₁(½hJ_G) G(u_½)].
  Vector tr_bdf2_printed() const {
    const double h = h_, t = u_.t0;
    const Vector star = u_.u0 + h / 4 * s_.F(u_.u0, t);
    const Vector half = stages_ == Stages::newton
                            ? s_.implicit(star, h / 4, t + h / 2, u_.u0)
                            : s_.linearized(star, h / 4, t + h / 2, u_.u0, s_.J(u_.u0, t + h / 2));
    const Vector c = u_.u0 + 4.0 / 3 * (half - u_.u0) + h / 3 * modal(half, t + h / 2, h / 2, no);
    return solve(c, h / 3, t + h, half);
  }
  /// u_γ = u₀ + ½γh [H(u₀) + H(u_γ)] + γh φ₁(γhJ_G) G(u₀),
  /// u₁ = u_γ + (2β/γ−1) Q̂(u_γ−u₀) + ½γh H(u₁) + (1−γ)h φ₁((1−γ)hJ_G) G(u_γ).
  Vector sdirk() const {
    const double g = 2 - std::sqrt(2.0), b = std::sqrt(2.0) / 4, h = h_, t = u_.t0;
    const Vector ug = stage(u_.u0 + g * h / 2 * split_.H(u_.u0, t), g * h / 2, u_.u0, t, g * h, yes);
    const Vector c = ug + (2 * b / g - 1) * (split_.Q() * (ug - u_.u0));
    return stage(c, g * h / 2, ug, t + g * h, (1 - g) * h, yes);
  }

 private:
  static constexpr auto yes = DenseSplit::Coupled::yes, no = DenseSplit::Coupled::no;
  Vector modal(const Vector& x, double t, double tau, DenseSplit::Coupled coupled) const {
    return split_.mean_modal_rate(x, t, tau, coupled);
  }
  /// u = c + τ H(u) + s φ₁(s J_G) G(ū) with the coupling, ū at t̄ = t − s; then, if asked for, the correction.
  Vector stage(const Vector& c, double tau, const Vector& at, double t_at, double s,
               DenseSplit::Coupled coupled) const {
    Vector u = solve(c + s * modal(at, t_at, s, coupled), tau, t_at + s, at);
    if (modes_ == ModesAfter::corrected) u += split_.missed(at, t_at, s, u, coupled);
    return u;
  }
  Vector solve(const Vector& c, double tau, double t, const Vector& at) const {
    return stages_ == Stages::newton ? split_.implicit(c, tau, t, at) : split_.linearized(c, tau, t, at);
  }

  const FirstOrder& s_;
  DenseSplit split_;
  HybridPast u_;
  double h_;
  Stages stages_;
  ModesAfter modes_;
};

}  // namespace limber::test
