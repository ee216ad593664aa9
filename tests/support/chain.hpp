#pragma once
/// A chain of n masses on hardening springs, its left end held or moved as s(t) = A sin(3t + ½):
///
///     f = −∂W/∂q − d v − μ (1 + qᵢ²) tanh(vᵢ + .3 vᵢ₊₁) eᵢ,   W = Σ k/2 e² + k₃/4 e⁴,  e_i = qᵢ − qᵢ₋₁.
///
/// The mass matrix is not diagonal. The last term is a smooth friction with non-symmetric K and D. The force is a
/// template over its scalar, so that references take their derivatives by the complex step, not from tangent().

#include <Eigen/Dense>
#include <cmath>
#include <complex>
#include <vector>

#include "limber/model/system.hpp"

namespace limber::test {

struct ChainParts {
  int n = 4;
  double k = 10;         // [N/m]; negative: a double well, unstable at q = 0
  double k3 = 40;        // [N/m³]
  double damping = 0;    // d [N·s/m]
  double friction = 0;   // μ [N]
  double amplitude = 0;  // A [m]
  double pull = 0;       // dead load on the last mass [N]
};

class Chain : public System {
 public:
  explicit Chain(const ChainParts& parts) : p_(parts) {
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < p_.n; ++i) {
      entries.emplace_back(i, i, 1 + 0.3 * i);
      if (i + 1 < p_.n) {
        entries.emplace_back(i + 1, i, 0.1);
        if (!symmetric()) entries.emplace_back(i, i + 1, 0.1);
      }
    }
    if (!symmetric() && p_.n > 2) entries.emplace_back(p_.n - 1, 0, 0.0);
    SparseMatrix M(p_.n, p_.n);
    M.setFromTriplets(entries.begin(), entries.end());
    M_ = MassMatrix(M, symmetric() ? Symmetry::symmetric : Symmetry::general);
  }

  SystemTraits traits() const override {
    return {.size = p_.n,
            .symmetric = p_.friction == 0,
            .velocity_dependent = p_.damping != 0 || p_.friction != 0,
            .time_dependent = p_.amplitude != 0};
  }
  const MassMatrix& inertia() const override { return M_; }
  Matrix dense_mass() const {
    if (symmetric()) return Matrix(Matrix(mass()).selfadjointView<Eigen::Lower>());
    return Matrix(mass());
  }

  template <class T>
  Eigen::VectorX<T> force_of(const Eigen::VectorX<T>& q, const Eigen::VectorX<T>& v, double t) const {
    using std::tanh;
    const int n = p_.n;
    Eigen::VectorX<T> f = -p_.damping * v;
    f(n - 1) += p_.pull;
    for (int i = 0; i < n; ++i) {
      const T e = q(i) - (i > 0 ? q(i - 1) : T(end(t))), g = p_.k * e + p_.k3 * e * e * e;
      f(i) -= g;
      if (i > 0) f(i - 1) += g;
      if (p_.friction != 0) f(i) -= p_.friction * (1.0 + q(i) * q(i)) * tanh(v(i) + 0.3 * v((i + 1) % n));
    }
    return f;
  }
  Vector force(const State& u) const override { return force_of<double>(u.q, u.v, u.t); }

  Vector linearize(const State& u, Definiteness definiteness, Tangent& T) override {
    const bool projected = definiteness == Definiteness::projected;
    T.K = mass();
    T.D = mass();
    T.K.coeffs().setZero();
    T.D.coeffs().setZero();
    const int n = p_.n;
    for (int i = 0; i < n; ++i) {
      const double e = u.q(i) - (i > 0 ? u.q(i - 1) : end(u.t));
      double g = p_.k + 3 * p_.k3 * e * e;
      if (projected) g = std::max(g, 0.0);
      T.K.coeffRef(i, i) += g;
      if (i > 0) {
        T.K.coeffRef(i - 1, i - 1) += g;
        T.K.coeffRef(i, i - 1) -= g;
        if (!symmetric()) T.K.coeffRef(i - 1, i) -= g;
      }
      T.D.coeffRef(i, i) += p_.damping;
      if (p_.friction == 0) continue;
      const int j = (i + 1) % n;
      const double th = std::tanh(u.v(i) + 0.3 * u.v(j)), s = p_.friction * (1 + u.q(i) * u.q(i)) * (1 - th * th);
      T.K.coeffRef(i, i) += 2 * p_.friction * u.q(i) * th;
      T.D.coeffRef(i, i) += s;
      T.D.coeffRef(i, j) += 0.3 * s;
    }
    return force(u);
  }

  std::optional<Potentials> potentials(const State& u) const override {
    if (p_.friction != 0) return std::nullopt;
    Potentials p{-p_.pull * u.q(p_.n - 1), p_.damping / 2 * u.v.squaredNorm()};
    for (int i = 0; i < p_.n; ++i) {
      const double e = u.q(i) - (i > 0 ? u.q(i - 1) : end(u.t));
      p.stored += p_.k / 2 * e * e + p_.k3 / 4 * e * e * e * e;
    }
    return p;
  }

  /// A generic state in the nonlinear range, the same for every test.
  State start() const {
    State u{Vector(p_.n), Vector(p_.n), 0.3};
    for (int i = 0; i < p_.n; ++i) u.q(i) = 0.4 * std::sin(1.3 * i + 0.7), u.v(i) = 0.6 * std::cos(2.1 * i + 0.2);
    return u;
  }

 private:
  double end(double t) const { return p_.amplitude * std::sin(3 * t + 0.5); }

  ChainParts p_;
  MassMatrix M_;
};

/// Everything at once: non-symmetric, velocity-dependent, explicitly time-dependent.
inline ChainParts rough_chain() {
  return {.n = 4, .k = 10, .k3 = 40, .damping = 0.2, .friction = 0.5, .amplitude = 0.3};
}

}  // namespace limber::test
