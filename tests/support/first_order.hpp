#pragma once
/// The chain as a dense first-order system in x = (q, v):  ẋ = F(x, t) = (v, M⁻¹f),  J = ∂F/∂x. It shares only the
/// force with the code under test: derivatives are by the complex step, solves by dense LU.

#include <gtest/gtest.h>

#include "support/chain.hpp"

namespace limber::test {

class FirstOrder {
 public:
  explicit FirstOrder(const Chain& chain) : chain_(chain), n_(chain.size()), M_(chain.dense_mass()), lu_(M_) {}

  Index n() const { return n_; }
  const Matrix& mass() const { return M_; }
  bool has_potential() const { return chain_.potentials(chain_.start()).has_value(); }
  Vector force(const Vector& x, double t) const { return chain_.force_of<double>(x.head(n_), x.tail(n_), t); }
  Vector acceleration(const Vector& x, double t) const { return lu_.solve(force(x, t)); }
  Vector F(const Vector& x, double t) const {
    Vector y(2 * n_);
    y << x.tail(n_), acceleration(x, t);
    return y;
  }
  /// ∂f/∂x, n × 2n.
  Matrix force_jacobian(const Vector& x, double t) const {
    constexpr double eps = 1e-30;
    Matrix G(n_, 2 * n_);
    for (Index j = 0; j < 2 * n_; ++j) {
      Eigen::VectorXcd z = x.cast<std::complex<double>>();
      z(j) += std::complex<double>(0, eps);
      G.col(j) = chain_.force_of<std::complex<double>>(z.head(n_), z.tail(n_), t).imag() / eps;
    }
    return G;
  }
  Matrix J(const Vector& x, double t) const {
    Matrix G = Matrix::Zero(2 * n_, 2 * n_);
    G.topRightCorner(n_, n_).setIdentity();
    G.bottomRows(n_) = lu_.solve(force_jacobian(x, t));
    return G;
  }

  /// x with x = star + τ F(x, t), by the full Newton from `from`.
  Vector implicit(const Vector& star, double tau, double t, const Vector& from) const {
    Vector x = from;
    double size = 1;
    for (int k = 0; k < 30 && size > 1e-15; ++k) {
      const Vector dx =
          (Matrix::Identity(2 * n_, 2 * n_) - tau * J(x, t)).partialPivLu().solve(star + tau * F(x, t) - x);
      x += dx;
      size = dx.norm();
    }
    EXPECT_LT(size, 1e-12) << "the reference did not converge";
    return x;
  }
  /// x with x = star + τ [F(at, t) + J (x − at)].
  Vector linearized(const Vector& star, double tau, double t, const Vector& at, const Matrix& J) const {
    return at + (Matrix::Identity(2 * n_, 2 * n_) - tau * J).partialPivLu().solve(star + tau * F(at, t) - at);
  }

  /// The motion at the ends of `steps`, by the classical Runge-Kutta method with `fine` steps in each.
  Vector exact(Vector x, double t, const std::vector<double>& steps, int fine) const {
    for (const double step : steps) {
      const double h = step / fine;
      for (int i = 0; i < fine; ++i, t += h) {
        const Vector k1 = F(x, t), k2 = F(x + h / 2 * k1, t + h / 2), k3 = F(x + h / 2 * k2, t + h / 2),
                     k4 = F(x + h * k3, t + h);
        x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      }
    }
    return x;
  }

 private:
  const Chain& chain_;
  Index n_;
  Matrix M_;
  Eigen::PartialPivLU<Matrix> lu_;
};

inline Vector stacked(const State& u) {
  Vector x(2 * u.q.size());
  x << u.q, u.v;
  return x;
}

}  // namespace limber::test
