#include "limber/linalg/exponential/second_order_flow.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <string>

#include "limber/core/parallel.hpp"
#include "linalg/complaints.hpp"
#include "linalg/matrices.hpp"
#include "linalg/wide.hpp"

namespace limber {
namespace {

using test::failure;
using test::noise;
using test::rejected;

/// A chain of springs and unequal masses, free at both ends, with its modes KX = MXΛ.
struct Chain {
  Chain(Index n, double shift) : K(Matrix::Zero(n, n)), M(n) {
    for (Index i = 0; i < n; ++i) {
      K(i, i) = (i > 0 ? 1 : 0) + (i + 1 < n ? 1 : 0);
      if (i > 0) K(i, i - 1) = K(i - 1, i) = -1;
      M[i] = 1 + 0.5 * std::sin(static_cast<double>(i));
    }
    K.diagonal() -= shift * M;  // indefinite
    const Vector root = M.cwiseSqrt().cwiseInverse();
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(Matrix(root.asDiagonal() * K * root.asDiagonal()));
    lambda = solver.eigenvalues();
    X = root.asDiagonal() * solver.eigenvectors();
  }
  SecondOrderOperator op(double alpha = 0, double beta = 0) const {
    const auto tridiagonal = [this](const Vector& x, Vector& y) {
      const Index n = x.size();
      y = K.diagonal().cwiseProduct(x);
      y.head(n - 1) += K.diagonal(1).cwiseProduct(x.tail(n - 1));
      y.tail(n - 1) += K.diagonal(-1).cwiseProduct(x.head(n - 1));
    };
    return {tridiagonal, [this](const Vector& x, Vector& y) { y = M.cwiseProduct(x); },
            [this](const Vector& x, Vector& y) { y = x.cwiseQuotient(M); }, alpha, beta};
  }
  double norm(const Vector& x) const { return std::sqrt(x.dot(M.cwiseProduct(x))); }

  /// Mode by mode, by the flow of (y, y', t).
  SecondOrderMotion exact(const SecondOrderLoad& load, double h, double alpha = 0, double beta = 0) const {
    const Index n = M.size();
    const Vector zero = Vector::Zero(n), v = X.transpose() * M.cwiseProduct(load.v);
    const Vector f = X.transpose() * (load.f.size() > 0 ? load.f : zero);
    const Vector f_t = X.transpose() * (load.f_t.size() > 0 ? load.f_t : zero);
    Vector d(n), rate(n);
    for (Index i = 0; i < n; ++i) {
      const double damping = alpha * lambda[i] + beta;
      Matrix J(3, 3);
      J << 0, 1, 0, -lambda[i], -damping, f_t[i], 0, 0, 0;
      const Vector x = h * test::wide_phi1(J, Eigen::Vector3d(v[i], f[i] - damping * v[i], 1), h);
      d[i] = x[0];
      rate[i] = v[i] + x[1];
    }
    return {X * d, X * rate};
  }

  Matrix K, X;
  Vector M, lambda;
};

void expect_motion(const Chain& chain, const SecondOrderMotion& found, const SecondOrderMotion& exact, double v,
                   double tolerance, const std::string& what) {
  EXPECT_LE(chain.norm(found.d - exact.d), tolerance * chain.norm(exact.d)) << what;
  EXPECT_LE(chain.norm(found.rate - exact.rate), tolerance * std::max(v, chain.norm(exact.rate))) << what;
}

TEST(SecondOrderFlow, AgreesWithModes) {
  struct Sample {
    std::string name;
    Index n;
    double shift, alpha, beta, h;
  };
  for (const Sample& s :
       {Sample{"one mass", 1, 0.3, 0, 0, 2}, Sample{"few masses", 5, 0, 0, 0, 30}, Sample{"free", 400, 0, 0, 0, 3},
        Sample{"free, long", 400, 0, 0, 0, 300}, Sample{"damped", 400, 0, 0.3, 0.02, 40},
        Sample{"over-damped", 400, 0, 30, 0.5, 20}, Sample{"drag", 400, 0, 0, 50, 10},
        Sample{"indefinite", 400, 0.01, 0, 0, 40}, Sample{"indefinite, damped", 400, 0.1, 0.2, 0.1, 10},
        Sample{"backwards", 400, 0, 0, 0, -20}, Sample{"backwards, damped", 400, 0, 0.02, 0.1, -5}}) {
    const Chain chain(s.n, s.shift);
    const SecondOrderLoad all{noise(s.n, 1), noise(s.n, 2), noise(s.n, 3)};
    for (const SecondOrderLoad& load : {all, SecondOrderLoad{all.v, {}, {}}, SecondOrderLoad{0 * all.v, all.f, {}},
                                        SecondOrderLoad{0 * all.v, {}, all.f_t}})
      for (const double tolerance : {1e-9, 1e-5}) {
        Phi1Report report;
        const SecondOrderMotion found = second_order_flow(chain.op(s.alpha, s.beta), load, s.h, {tolerance}, report);
        expect_motion(chain, found, chain.exact(load, s.h, s.alpha, s.beta), chain.norm(load.v), tolerance, s.name);
        EXPECT_LE(report.error, tolerance) << s.name;
        EXPECT_GT(report.products, 0) << s.name;
      }
  }
}

/// A long chain as an operator only; √λ_max = 2.
SecondOrderOperator long_chain() {
  const auto copy = [](const Vector& x, Vector& y) { y = x; };
  return {[](const Vector& x, Vector& y) {
            const Index n = x.size();
            y = 2 * x;
            y.head(n - 1) -= x.tail(n - 1);
            y.tail(n - 1) -= x.head(n - 1);
          },
          copy, copy};
}

TEST(SecondOrderFlow, CostGrowsWithTheTimeNotItsSquare) {
  const Index n = 3000;
  for (const double phase : {300.0, 1000.0, 3000.0}) {
    Phi1Report report;
    second_order_flow(long_chain(), {noise(n, 1), noise(n, 2), {}}, phase / 2, {1e-7}, report);
    EXPECT_LE(static_cast<double>(report.products), 1.7 * phase);  // two sources
    EXPECT_GE(static_cast<double>(report.products), phase);        // waves need one product per source and half-radian
  }
}

TEST(SecondOrderFlow, TravellingWaveInAnEigenmode) {
  const Index n = 2000;  // x_i = sin(jπi/(n+1)), λ = 4 sin²(jπ/2(n+1)): the process ends at once
  const double angle = 17 * std::acos(-1.0) / static_cast<double>(n + 1), omega = 2 * std::sin(angle / 2);
  Vector x(n);
  for (Index i = 0; i < n; ++i) x[i] = std::sin(angle * static_cast<double>(i + 1));
  Phi1Report report;
  const double h = 4000;
  const SecondOrderMotion moved = second_order_flow(long_chain(), {x, {}, {}}, h, {1e-9}, report);
  EXPECT_LE((moved.d - std::sin(omega * h) / omega * x).norm(), 1e-9 * x.norm() / omega);
  EXPECT_LE((moved.rate - std::cos(omega * h) * x).norm(), 1e-9 * x.norm());
}

TEST(SecondOrderFlow, RigidMotionIsExact) {
  const Chain chain(300, 0);
  const Vector ones = Vector::Ones(300);
  Phi1Report report;
  const SecondOrderMotion moved = second_order_flow(chain.op(), {3 * ones, 2 * chain.M, chain.M}, 10, {1e-10}, report);
  EXPECT_LE((moved.d - (30 + 100 + 1000. / 6) * ones).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LE((moved.rate - (3 + 20 + 50) * ones).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(SecondOrderFlow, NothingMovesNothing) {
  const Chain chain(30, 0);
  Phi1Report report;
  const SecondOrderMotion rest = second_order_flow(chain.op(), {Vector::Zero(30), Vector::Zero(30), {}}, 1, {}, report);
  EXPECT_EQ(rest.d, Vector::Zero(30));
  EXPECT_EQ(rest.rate, Vector::Zero(30));
  const Vector v = noise(30, 1);
  const SecondOrderMotion still = second_order_flow(chain.op(), {v, {}, {}}, 0, {}, report);
  EXPECT_EQ(still.d, Vector::Zero(30));
  EXPECT_EQ(still.rate, v);
  EXPECT_EQ(second_order_flow(chain.op(), {}, 1, {}, report).d.size(), 0);
}

TEST(SecondOrderFlow, HasTheSameBitsForAnyNumberOfThreads) {
  const Index n = 40000;
  const SecondOrderLoad load{noise(n, 1), noise(n, 2), noise(n, 3)};
  Phi1Report report;
  set_threads(1);
  const SecondOrderMotion one = second_order_flow(long_chain(), load, 20, {1e-8}, report);
  set_threads(0);
  const SecondOrderMotion all = second_order_flow(long_chain(), load, 20, {1e-8}, report);
  EXPECT_EQ(one.d, all.d);
  EXPECT_EQ(one.rate, all.rate);
}

TEST(SecondOrderFlow, FailsWithAMessage) {
  const Index n = 1000;
  Phi1Report report;
  const std::string exhausted = failure([&] {
    second_order_flow(long_chain(), {noise(n, 1), {}, {}}, 500, {1e-8, 100}, report);
  });
  EXPECT_NE(exhausted.find("100 products"), std::string::npos) << exhausted;
  EXPECT_NE(exhausted.find("1.0e-08"), std::string::npos) << exhausted;
  const std::string rounding = failure([&] {
    second_order_flow(long_chain(), {noise(n, 1), {}, {}}, 500, {1e-15}, report);
  });
  EXPECT_NE(rounding.find("sub-steps"), std::string::npos) << rounding;
  SecondOrderOperator growing = long_chain();
  growing.stiffness = [](const Vector& x, Vector& y) { y = -1e6 * x; };
  EXPECT_NE(failure([&] { second_order_flow(growing, {noise(n, 1), {}, {}}, 10, {}, report); }), "");
  SecondOrderOperator broken = long_chain();
  broken.stiffness = [](const Vector& x, Vector& y) { y = std::nan("") * x; };
  EXPECT_NE(failure([&] { second_order_flow(broken, {noise(n, 1), {}, {}}, 10, {}, report); }), "");
  SecondOrderOperator massless = long_chain();
  massless.mass = [](const Vector& x, Vector& y) { y = -x; };
  EXPECT_NE(failure([&] { second_order_flow(massless, {noise(n, 1), {}, {}}, 10, {}, report); }), "");
}

TEST(SecondOrderFlow, RejectsBadInput) {
  const Vector v = noise(10, 1), three = noise(3, 1), bad = v * std::nan("");
  Phi1Report report;
  const SecondOrderOperator op = long_chain();
  EXPECT_EQ(rejected([&] { second_order_flow(op, {bad, {}, {}}, 1, {}, report); }), "v");
  EXPECT_EQ(rejected([&] { second_order_flow(op, {v, three, {}}, 1, {}, report); }), "f");
  EXPECT_EQ(rejected([&] { second_order_flow(op, {v, v, bad}, 1, {}, report); }), "f_t");
  EXPECT_EQ(rejected([&] { second_order_flow(op, {v, {}, {}}, std::nan(""), {}, report); }), "h");
  EXPECT_EQ(rejected([&] { second_order_flow(op, {v, {}, {}}, 1, {0.0}, report); }), "tol");
}

}  // namespace
}  // namespace limber
