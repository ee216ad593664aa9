#include "limber/linalg/exponential/phi1.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <string>

#include "limber/core/parallel.hpp"
#include "limber/linalg/exponential/dense_exponential.hpp"
#include "linalg/complaints.hpp"
#include "linalg/matrices.hpp"
#include "linalg/wide.hpp"

namespace limber {
namespace {

using test::failure;
using test::noise;
using test::rejected;

Matrix noise(Index n, Index m, double seed) {
  Matrix A(n, m);
  for (Index j = 0; j < m; ++j) A.col(j) = noise(n, seed + 1.7 * static_cast<double>(j));
  return A;
}

struct Case {
  std::string name;
  Matrix J;
  double h;
  double dense, krylov;  // errors allowed; krylov = 0: rounding errors of Arnoldi's process spoil everything
};

Matrix grcar(Index n) {
  Matrix A = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    if (i > 0) A(i, i - 1) = -1;
    for (Index j = i; j <= std::min(i + 3, n - 1); ++j) A(i, j) = 1;
  }
  return A;
}

Matrix advection_diffusion(Index n, double speed) {
  Matrix A = Matrix::Zero(n, n);
  const double per = static_cast<double>(n + 1);
  for (Index i = 0; i < n; ++i) {
    A(i, i) = -2 * per * per;
    if (i > 0) A(i, i - 1) = per * per + speed * per / 2;
    if (i + 1 < n) A(i, i + 1) = per * per - speed * per / 2;
  }
  return A;
}

Matrix triangular(Index n, double beside) {
  Matrix A = Matrix(noise(n, n, 3).triangularView<Eigen::StrictlyUpper>()) * beside;
  for (Index i = 0; i < n; ++i) A(i, i) = -1 - static_cast<double>(i);
  return A;
}

Matrix nearly_jordan(Index n, double eigenvalue, double off) {
  Matrix A = Matrix::Identity(n, n) * eigenvalue;
  for (Index i = 0; i + 1 < n; ++i) A(i, i + 1) = 1;
  A(n - 1, 0) = off;
  return A;
}

/// [[0, I], [−K, −D]] of a chain of springs.
Matrix chain(Index n, double stiffness, double damping) {
  Matrix A = Matrix::Zero(2 * n, 2 * n);
  A.topRightCorner(n, n).setIdentity();
  for (Index i = 0; i < n; ++i) {
    A(n + i, i) = -2 * stiffness;
    A(n + i, n + i) = -damping;
    if (i > 0) A(n + i, i - 1) = stiffness;
    if (i + 1 < n) A(n + i, i + 1) = stiffness;
  }
  return A;
}

/// The same in (ωd, v), ω the largest frequency.
Matrix scaled_chain(Index n, double stiffness, double damping) {
  Matrix A = chain(n, stiffness, damping);
  const double omega = 2 * std::sqrt(stiffness);
  A.topRightCorner(n, n) *= omega;
  A.bottomLeftCorner(n, n) /= omega;
  return A;
}

/// The eigenvalues −10⁰ … −10^top, in a basis that is not orthogonal.
Matrix stiff(Index n, double top) {
  Matrix D = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i) D(i, i) = -std::pow(10, top * static_cast<double>(i) / static_cast<double>(n - 1));
  const Matrix X = Matrix::Identity(n, n) + 0.3 / std::sqrt(static_cast<double>(n)) * noise(n, n, 1);
  return X.transpose() * D * X;
}

/// Rotations with the frequencies top/n … top, in mixed planes.
Matrix rotations(Index n, double top) {
  Matrix A = Matrix::Zero(n, n);
  for (Index i = 0; i + 1 < n; i += 2) {
    A(i, i + 1) = top * static_cast<double>(i + 2) / static_cast<double>(n);
    A(i + 1, i) = -A(i, i + 1);
  }
  Vector u = noise(n, 5);
  u.normalize();
  const Matrix Q = Matrix::Identity(n, n) - 2 * u * u.transpose();
  return Q * A * Q;
}

std::vector<Case> cases() {
  Matrix two(2, 2), skewed(2, 2);
  two << 0, 1, -1e12, 0;
  skewed << -1, 1e10, 0, -2;
  return {{"stiff", stiff(12, 6), 1, 1e-10, 1e-9},
          {"stiff, short", stiff(12, 6), 1e-4, 1e-13, 1e-9},
          {"rotations", rotations(14, 1e6), 1, 1e-10, 1e-7},
          {"slow rotations", rotations(48, 200), 1, 1e-13, 1e-9},
          {"one stiff oscillator", two, 1, 1e-9, 1e-8},
          {"two by two, not normal", skewed, 1, 1e-13, 1e-9},
          {"triangular", triangular(10, 1e6), 1, 1e-12, 0},
          {"triangular, moderate", triangular(20, 30), 1, 1e-11, 1e-9},
          {"Grcar", grcar(50), 8, 1e-12, 1e-9},
          {"Grcar, backwards", grcar(50), -8, 1e-12, 1e-9},
          {"advection and diffusion", advection_diffusion(50, 300), 0.1, 1e-12, 1e-9},
          {"fast advection", advection_diffusion(50, 3000), 0.02, 1e-11, 1e-8},
          {"nearly defective", nearly_jordan(12, -1, 1e-10), 5, 1e-13, 1e-9},
          {"nearly defective, stiff", nearly_jordan(30, -50, 1e-10), 2, 1e-13, 1e-9},
          {"stiff chain", chain(25, 1e8, 0), 0.05, 1e-12, 1e-9},
          {"stiff chain, scaled", scaled_chain(25, 1e8, 0), 0.05, 1e-12, 1e-9},
          {"damped chain", chain(25, 1e4, 80), 0.3, 1e-12, 1e-8},
          {"growing", chain(25, -4, 0), 3, 1e-13, 1e-9}};
}

LinearOperator product(const Matrix& J) {
  return [J](const Vector& x, Vector& y) { y = J * x; };
}

double relative(const Vector& x, const Vector& reference) { return (x - reference).norm() / reference.norm(); }

TEST(Phi1, DenseAgreesWithAWideReference) {
  for (const Case& c : cases()) {
    const Vector b = noise(c.J.rows(), 0.3);
    EXPECT_LE(relative(dense_phi1(c.J, b, c.h), test::wide_phi1(c.J, b, c.h)), c.dense) << c.name;
  }
}

TEST(Phi1, KrylovReachesItsTolerance) {
  for (const Case& c : cases()) {
    const Vector b = noise(c.J.rows(), 0.3), reference = test::wide_phi1(c.J, b, c.h);
    Phi1Report report;
    if (c.krylov == 0) {
      EXPECT_THROW(phi1(product(c.J), b, c.h, {1e-4}, report), StepFailure) << c.name;
      continue;
    }
    for (const double tolerance : {c.krylov, std::sqrt(c.krylov)}) {
      Vector x;
      ASSERT_NO_THROW(x = phi1(product(c.J), b, c.h, {tolerance}, report)) << c.name;
      const double error = relative(x, reference);
      EXPECT_LE(error, report.error) << c.name;
      EXPECT_LE(report.error, tolerance) << c.name;
      EXPECT_GT(report.products, 0) << c.name;
    }
  }
}

/// Where coordinates have sizes of their own: balancing finds them, in each part its own.
TEST(Phi1, KrylovBalancesWhatIsFarFromNormal) {
  const Index n = 30;
  Matrix J = chain(n, 1e8, 3);
  J.topRows(n / 2) *= 10;
  J.leftCols(n / 2) /= 10;  // half of the displacements in decimetres
  const Vector b = noise(2 * n, 0.3);
  Phi1Report report;
  const Vector x = phi1(product(J), b, 0.02, {}, report);
  EXPECT_LE(relative(x, test::wide_phi1(J, b, 0.02)), report.error);
  EXPECT_LE(report.error, 1e-10);
}

/// Blocks [[−a, ω], [−ω, −a]] in a long vector: closed form  φ₁(z) b,  z = −a + iω.
struct TurningBlocks {
  TurningBlocks(Index n, double rate, double frequency) : a(n), omega(n) {
    for (Index i = 0; i < n; ++i) {
      const double part = static_cast<double>(i + 1) / static_cast<double>(n);
      a[i] = rate * part;
      omega[i] = frequency * std::sin(1.5707963 * part);
    }
  }
  void operator()(const Vector& x, Vector& y) const {
    y.resize(x.size());
    for (Index i = 0; i < a.size(); ++i) {
      y[2 * i] = -a[i] * x[2 * i] + omega[i] * x[2 * i + 1];
      y[2 * i + 1] = -omega[i] * x[2 * i] - a[i] * x[2 * i + 1];
    }
  }
  Vector exact(const Vector& b, double h) const {
    Vector x(b.size());
    for (Index i = 0; i < a.size(); ++i) {
      const std::complex<double> z(-a[i] * h, -omega[i] * h), c = (std::exp(z) - 1.0) / z;  // acts on x₀ + i x₁
      const std::complex<double> r = c * std::complex<double>(b[2 * i], b[2 * i + 1]);
      x[2 * i] = r.real();
      x[2 * i + 1] = r.imag();
    }
    return x;
  }
  Vector a, omega;
};

TEST(Phi1, KrylovTakesLargeNorms) {
  struct Sample {
    Index n;
    double rate, frequency, tolerance;
    long most;  // products
  };
  for (const Sample& s : {Sample{1500, 0, 3e3, 1e-8, 6000}, Sample{200, 0, 1e4, 1e-7, 20000},
                          Sample{600, 1e6, 0, 1e-8, 20000}, Sample{600, 1e4, 3e3, 1e-8, 2000}}) {
    const TurningBlocks J(s.n, s.rate, s.frequency);
    const Vector b = noise(2 * s.n, 0.7), reference = J.exact(b, 1);
    Phi1Report report;
    const Vector x = phi1(J, b, 1, {s.tolerance}, report);
    EXPECT_LE(relative(x, reference), s.tolerance) << s.rate << " " << s.frequency;
    EXPECT_LE(report.products, s.most) << s.rate << " " << s.frequency;
  }
}

SparseMatrix sparse(const Matrix& J) { return J.sparseView(); }

TEST(Phi1, MatricesChooseTheirWay) {
  const Phi1Options options{1e-9};
  Phi1Report report;
  const Matrix small = advection_diffusion(50, 300);
  const Vector b = noise(50, 2);
  const Vector x = phi1(small, b, 0.1, options, report);
  EXPECT_EQ(report.products, 0);
  EXPECT_LE(relative(x, test::wide_phi1(small, b, 0.1)), 1e-11);
  EXPECT_LE(relative(phi1(sparse(small), b, 0.1, options, report), x), 1e-12);
  EXPECT_EQ(report.products, 0);
  const Matrix large = advection_diffusion(400, 100);
  const Vector c = noise(400, 2);
  const Vector krylov = phi1(sparse(large), c, 1e-5, options, report);
  EXPECT_GT(report.products, 0);
  const Vector dense = dense_phi1(large, c, 1e-5);
  EXPECT_LE(relative(krylov, dense), 1e-9);
  EXPECT_LE(relative(phi1(sparse(large), c, 1, options, report), dense_phi1(large, c, 1)), 1e-9);
  EXPECT_EQ(report.products, 0);  // ‖hJ‖ = 10⁶: dense costs less
}

TEST(Phi1, SmallCasesAndSigns) {
  const Matrix J = grcar(6);
  const Vector b = noise(6, 1);
  Phi1Report report;
  EXPECT_EQ(phi1(product(J), b, 0, {}, report), b);
  EXPECT_LE(relative(dense_phi1(J, b, 0), b), 1e-15);
  EXPECT_EQ(phi1(product(J), Vector::Zero(6), 1, {}, report), Vector::Zero(6));
  EXPECT_EQ(phi1(J, Vector::Zero(6), 1, {}, report), Vector::Zero(6));
  EXPECT_EQ(phi1(Matrix(0, 0), Vector(0), 1, {}, report).size(), 0);
  EXPECT_LE(relative(phi1(product(Matrix::Zero(6, 6)), b, 3, {}, report), b), 1e-15);
  EXPECT_LE(relative(1e-200 * phi1(product(J), 1e200 * b, -2, {}, report), dense_phi1(J, b, -2)), 1e-10);
  // hφ₁(hJ)b solves x' = Jx + b: over h and then again over h is over 2h
  const Vector once = 0.7 * dense_phi1(J, b, 0.7);
  const Vector twice = once + 0.7 * dense_phi1(J, J * once + b, 0.7);
  EXPECT_LE(relative(twice, 1.4 * dense_phi1(J, b, 1.4)), 1e-14);
}

TEST(Phi1, HasTheSameBitsForAnyNumberOfThreads) {
  const TurningBlocks J(20000, 30, 20);
  const Vector b = noise(40000, 1);
  Phi1Report report;
  set_threads(1);
  const Vector one = phi1(J, b, 1, {}, report);
  set_threads(0);
  EXPECT_EQ(phi1(J, b, 1, {}, report), one);
}

TEST(Phi1, FailsWithAMessage) {
  const TurningBlocks J(300, 0, 1e4);
  const Vector b = noise(600, 1);
  Phi1Report report;
  const std::string exhausted = failure([&] { phi1(J, b, 1, {1e-8, 500}, report); });
  EXPECT_NE(exhausted.find("500 products"), std::string::npos) << exhausted;
  EXPECT_NE(exhausted.find("1.0e-08"), std::string::npos) << exhausted;
  const std::string rounding = failure([&] { phi1(J, b, 1, {1e-15}, report); });
  EXPECT_NE(rounding.find("sub-steps"), std::string::npos) << rounding;
  Matrix fast(2, 2);
  fast << 0, 1e14, -1e14, 0;
  const std::string noisy = failure([&] { phi1(fast, Vector::Ones(2), 1, {1e-8}, report); });
  EXPECT_NE(noisy.find("rounding"), std::string::npos) << noisy;
  EXPECT_NE(failure([&] { phi1(Matrix(Matrix::Identity(3, 3)), Vector::Ones(3), 1e4, {}, report); }), "");
  const LinearOperator growing = [](const Vector& x, Vector& y) { y = x; };
  EXPECT_NE(failure([&] { phi1(growing, Vector::Ones(3), 1e4, {}, report); }), "");
  const LinearOperator broken = [](const Vector& x, Vector& y) { y = x * std::nan(""); };
  EXPECT_NE(failure([&] { phi1(broken, Vector::Ones(3), 1, {}, report); }), "");
}

TEST(Phi1, RejectsBadInput) {
  const Matrix J = grcar(4);
  const Vector b = Vector::Ones(4);
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  Phi1Report report;
  EXPECT_EQ(rejected([&] { phi1(Matrix(3, 4), b, 1, {}, report); }), "J");
  EXPECT_EQ(rejected([&] { phi1(SparseMatrix(3, 4), b, 1, {}, report); }), "J");
  EXPECT_EQ(rejected([&] { phi1(Matrix(J * nan), b, 1, {}, report); }), "J");
  EXPECT_EQ(rejected([&] { phi1(sparse(J * inf), b, 1, {}, report); }), "J");
  EXPECT_EQ(rejected([&] { dense_phi1(J * nan, b, 1); }), "J");
  EXPECT_EQ(rejected([&] { phi1(J, Vector::Ones(3), 1, {}, report); }), "b");
  EXPECT_EQ(rejected([&] { phi1(sparse(J), Vector::Ones(3), 1, {}, report); }), "b");
  EXPECT_EQ(rejected([&] { dense_phi1(J, b * inf, 1); }), "b");
  EXPECT_EQ(rejected([&] { phi1(product(J), b * nan, 1, {}, report); }), "b");
  EXPECT_EQ(rejected([&] { phi1(J, b, nan, {}, report); }), "h");
  EXPECT_EQ(rejected([&] { phi1(product(J), b, inf, {}, report); }), "h");
  for (const double tolerance : {0.0, -1.0, 1.0, nan}) {
    EXPECT_EQ(rejected([&] { phi1(J, b, 1, {tolerance}, report); }), "tol");
    EXPECT_EQ(rejected([&] { phi1(sparse(J), b, 1, {tolerance}, report); }), "tol");
    EXPECT_EQ(rejected([&] { phi1(product(J), b, 1, {tolerance}, report); }), "tol");
  }
}

}  // namespace
}  // namespace limber
