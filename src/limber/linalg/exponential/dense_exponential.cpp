#include "limber/linalg/exponential/dense_exponential.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

namespace limber {
namespace {

// Coefficients of the numerator of the [13/13] approximant.
constexpr std::array<double, 14> pade = {64764752532480000.,
                                         32382376266240000.,
                                         7771770303897600.,
                                         1187353796428800.,
                                         129060195264000.,
                                         10559470521600.,
                                         670442572800.,
                                         33522128640.,
                                         1323241920.,
                                         40840800.,
                                         960960.,
                                         16380.,
                                         182.,
                                         1.};

double norm1(const Matrix& A) { return A.cwiseAbs().colwise().sum().maxCoeff(); }

/// ‖|A|^p‖₁
double power_of_moduli(const Matrix& A, int p) {
  const Matrix moduli = A.cwiseAbs().transpose();
  Vector x = Vector::Ones(A.rows());
  for (int k = 0; k < p; ++k) x = moduli * x;
  return x.maxCoeff();
}

struct Powers {
  explicit Powers(const Matrix& A) : A2(A * A), A4(A2 * A2), A6(A4 * A2) {}
  void scale(double c) {
    A2 *= c * c;
    A4 *= c * c * c * c;
    A6 *= c * c * c * c * c * c;
  }
  Matrix A2, A4, A6;
};

/// The least s for which the approximant of 2⁻ˢA has a backward error below rounding (Al-Mohy and Higham 2009).
int squarings(const Matrix& A, const Powers& P) {
  // c₂₇, the first term of the backward error, is 1/(C(26, 13) 27!)
  constexpr double theta = 4.25, unit = 1.1102230246251565e-16, log2_of_c27 = -116.4;
  const double norm = norm1(A);
  if (norm == 0) return 0;
  double size = norm;
  if (norm > theta) {
    const double d6 = std::pow(norm1(P.A6), 1. / 6), d8 = std::pow(norm1(P.A4 * P.A4), 1. / 8);
    const double d10 = std::pow(norm1(P.A4 * P.A6), 1. / 10);
    size = std::min(std::max(d6, d8), std::max(d8, d10));
  }
  int s = size > theta ? static_cast<int>(std::ceil(std::log2(size / theta))) : 0;
  const double scaled = std::ldexp(1.0, -s);
  const double tail = power_of_moduli(A * scaled, 27) / (norm * scaled);
  if (tail > 0) s += std::max(0, static_cast<int>(std::ceil((std::log2(tail / unit) + log2_of_c27) / 26)));
  return s;
}

Matrix approximant(const Matrix& A, const Powers& P) {
  const Matrix I = Matrix::Identity(A.rows(), A.cols());
  const auto& c = pade;
  Matrix odd = P.A6 * (c[13] * P.A6 + c[11] * P.A4 + c[9] * P.A2);
  odd += c[7] * P.A6 + c[5] * P.A4 + c[3] * P.A2 + c[1] * I;
  Matrix even = P.A6 * (c[12] * P.A6 + c[10] * P.A4 + c[8] * P.A2);
  even += c[6] * P.A6 + c[4] * P.A4 + c[2] * P.A2 + c[0] * I;
  const Matrix U = A * odd;
  return I + (even - U).partialPivLu().solve(2 * U);
}

}  // namespace

Vector balance(Matrix& A) {
  const Index n = A.rows();
  Vector D = Vector::Ones(n);
  bool changed = true;
  for (int sweep = 0; changed && sweep < 100; ++sweep) {
    changed = false;
    for (Index i = 0; i < n; ++i) {
      const double diagonal = std::abs(A(i, i));
      const double column = std::max(1.0, A.col(i).cwiseAbs().sum() - diagonal);
      const double row = std::max(1.0, A.row(i).cwiseAbs().sum() - diagonal);
      const double f = std::exp2(std::round(std::log2(row / column) / 2));
      if (!(column * f + row / f < 0.9 * (column + row)) || !(D[i] * f < 1e100 && D[i] * f > 1e-100)) continue;
      A.col(i) *= f;
      A.row(i) /= f;
      D[i] *= f;
      changed = true;
    }
  }
  return D;
}

Matrix dense_exponential(const Matrix& A, int extra_squarings) {
  Matrix B = A;
  const Vector D = balance(B);
  int exponent = 0;
  std::frexp(norm1(B), &exponent);
  const int first = std::max(0, exponent - 100);  // so that the powers of B do not overflow
  B *= std::ldexp(1.0, -first);
  Powers P(B);
  const int more = squarings(B, P) + extra_squarings;
  B *= std::ldexp(1.0, -more);
  P.scale(std::ldexp(1.0, -more));
  Matrix E = approximant(B, P);
  for (int k = 0; k < first + more; ++k) E = E * E;
  return D.asDiagonal() * E * D.cwiseInverse().asDiagonal();
}

}  // namespace limber
