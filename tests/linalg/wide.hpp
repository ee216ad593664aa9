#pragma once
/// e^A and φ₁(A)b in about 33 digits, by Taylor's series with scaling and squaring: the reference of other tests.

#include <cmath>
#include <vector>

#include "limber/core/types.hpp"

namespace limber::test {

#ifdef __SIZEOF_FLOAT128__
__extension__ using Wide = __float128;
#else
using Wide = long double;
#endif

struct WideMatrix {  // n × n, by rows
  explicit WideMatrix(int size)
      : n(size), entries(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), Wide(0)) {}
  Wide& operator()(int i, int j) { return entries[static_cast<std::size_t>(i * n + j)]; }
  const Wide& operator()(int i, int j) const { return entries[static_cast<std::size_t>(i * n + j)]; }
  int n;
  std::vector<Wide> entries;
};

inline WideMatrix operator*(const WideMatrix& A, const WideMatrix& B) {
  WideMatrix C(A.n);
  for (int i = 0; i < A.n; ++i)
    for (int k = 0; k < A.n; ++k) {
      const Wide a = A(i, k);
      if (a == Wide(0)) continue;
      for (int j = 0; j < A.n; ++j) C(i, j) += a * B(k, j);
    }
  return C;
}

inline double row_norm(const WideMatrix& A) {
  double norm = 0;
  for (int i = 0; i < A.n; ++i) {
    double sum = 0;
    for (int j = 0; j < A.n; ++j) sum += std::abs(static_cast<double>(A(i, j)));
    norm = std::max(norm, sum);
  }
  return norm;
}

inline WideMatrix wide_exponential(WideMatrix A) {
  int squarings = 0;
  for (double norm = row_norm(A); norm > 0.25; norm /= 2) ++squarings;
  Wide scale = 1;
  for (int s = 0; s < squarings; ++s) scale /= 2;
  for (Wide& x : A.entries) x *= scale;
  WideMatrix sum(A.n), term(A.n);
  for (int i = 0; i < A.n; ++i) sum(i, i) = term(i, i) = 1;
  for (int k = 1; k < 26; ++k) {
    term = term * A;
    for (std::size_t i = 0; i < term.entries.size(); ++i) sum.entries[i] += term.entries[i] /= Wide(k);
  }
  for (int s = 0; s < squarings; ++s) sum = sum * sum;
  return sum;
}

/// φ₁(hJ)b
inline Vector wide_phi1(const Matrix& J, const Vector& b, double h) {
  const int n = static_cast<int>(J.rows());
  WideMatrix A(n + 1);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) A(i, j) = Wide(h) * Wide(J(i, j));
    A(i, n) = b[i];
  }
  const WideMatrix E = wide_exponential(std::move(A));
  Vector x(n);
  for (int i = 0; i < n; ++i) x[i] = static_cast<double>(E(i, n));
  return x;
}

}  // namespace limber::test
