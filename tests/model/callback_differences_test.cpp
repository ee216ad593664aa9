/// Tangents that are differences of a force fit it in any units.

#include <gtest/gtest.h>

#include <cmath>

#include "limber/model/callback_system.hpp"

namespace limber {
namespace {

/// A pendulum chain of length L: f_i = −k L sin(q_i / L) + c (q_{i−1} − q_i)³/L², dampers −d V tanh(v_i / V).
struct Example {
  double L, V, k = 3, c = 2, d = .7;
  static constexpr Index n = 4;

  Vector force(const Vector& q, const Vector& v) const {
    Vector f(n);
    for (Index i = 0; i < n; ++i) {
      const double stretch = (i > 0 ? q[i - 1] : 0) - q[i];
      f[i] = -k * L * std::sin(q[i] / L) + c * std::pow(stretch, 3) / (L * L) - d * V * std::tanh(v[i] / V);
      if (i > 0) f[i - 1] -= c * std::pow(stretch, 3) / (L * L);
    }
    return f;
  }
  Matrix stiffness(const Vector& q) const {
    Matrix K = Matrix::Zero(n, n);
    for (Index i = 0; i < n; ++i) {
      K(i, i) += k * std::cos(q[i] / L);
      const double stretch = (i > 0 ? q[i - 1] : 0) - q[i], s = 3 * c * stretch * stretch / (L * L);
      K(i, i) += s;
      if (i == 0) continue;
      K(i - 1, i - 1) += s;
      K(i, i - 1) -= s;
      K(i - 1, i) -= s;
    }
    return K;
  }
  Matrix damping(const Vector& v) const {
    Matrix D = Matrix::Zero(n, n);
    for (Index i = 0; i < n; ++i) D(i, i) = d / std::pow(std::cosh(v[i] / V), 2);
    return D;
  }
  Tangent tangent(const State& u, const std::function<Vector(Vector)>& seen = {}) const {
    SparseMatrix M(n, n);
    M.setIdentity();
    CallbackSystem system(M, {[&](const State& w) {
                            const Vector f = force(w.q, w.v);
                            return seen ? seen(f) : f;
                          }});
    Tangent T;
    system.linearize(u, Definiteness::exact, T);
    return T;
  }
};

double off(const SparseMatrix& found, const Matrix& exact) {
  return (Matrix(found) - exact).cwiseAbs().maxCoeff() / exact.cwiseAbs().maxCoeff();
}

TEST(CallbackDifferences, FitInAnyUnits) {
  for (const double L : {1e-9, 1e-6, 1., 1e6, 1e9})
    for (const double V : {.01 * L, L, 100 * L}) {
      const Example e{L, V};
      const Vector shape{{.3, -.7, .2, 1.1}};
      const Tangent T = e.tangent({L * shape, V * shape.reverse(), 0});
      EXPECT_LE(off(T.K, e.stiffness(L * shape)), 1e-8) << L << " " << V;
      EXPECT_LE(off(T.D, e.damping(V * shape.reverse())), 1e-8) << L << " " << V;
    }
}

/// Where positions and velocities are 0 they tell nothing of the scale.
TEST(CallbackDifferences, FitFromRest) {
  for (const double unit : {1e-9, 1e-6, 1., 1e6}) {
    const Example e{unit, unit};
    const Vector zero = Vector::Zero(Example::n);
    const Tangent T = e.tangent({zero, zero, 0});
    EXPECT_LE(off(T.K, e.stiffness(zero)), 1e-8) << unit;
    EXPECT_LE(off(T.D, e.damping(zero)), 1e-8) << unit;
  }
}

/// Small motions about a place that is far away.
TEST(CallbackDifferences, FitBesideAnOffset) {
  const Example e{1e-4, 1};
  const double far = 10;
  SparseMatrix M(Example::n, Example::n);
  M.setIdentity();
  CallbackSystem system(M, {[&](const State& u) { return e.force(u.q.array() - far, u.v); }});
  const Vector shape{{.3, -.7, .2, 1.1}}, v = Vector::Zero(Example::n);
  Tangent T;
  const Vector q = (1e-4 * shape).array() + far;
  system.linearize({q, v, 0}, Definiteness::exact, T);
  EXPECT_LE(off(T.K, e.stiffness(q.array() - far)), 1e-7);
}

/// A callback in single precision: 1e-5 is what can be had of it.
TEST(CallbackDifferences, FitARoughCallback) {
  for (const double unit : {1e-6, 1., 1e6}) {
    const Example e{unit, unit};
    const Vector shape{{.3, -.7, .2, 1.1}};
    const auto rough = [](const Vector& f) -> Vector { return f.cast<float>().cast<double>(); };
    const Tangent T = e.tangent({unit * shape, unit * shape, 0}, rough);
    EXPECT_LE(off(T.K, e.stiffness(unit * shape)), 1e-4) << unit;
  }
}

/// What is known of a step saves the search: four forces for each unknown, and those of a plain evaluation.
TEST(CallbackDifferences, CostFourForcesEach) {
  const Example e{1e-6, 1e-6};
  long calls = 0;
  SparseMatrix M(Example::n, Example::n);
  M.setIdentity();
  CallbackSystem system(M, {[&](const State& u) {
                          ++calls;
                          return e.force(u.q, u.v);
                        }});
  Tangent T;
  const Vector shape{{.3, -.7, .2, 1.1}};
  system.linearize({1e-6 * shape, 1e-6 * shape, 0}, Definiteness::exact, T);
  calls = 0;
  system.linearize({1.1e-6 * shape, 1.1e-6 * shape, 0}, Definiteness::exact, T);
  EXPECT_LE(calls, 2 * 4 * Example::n + 1);
}

}  // namespace
}  // namespace limber
