#pragma once
/// 3×3 algebra over a scalar type T that is `double` or a SIMD pack of doubles (core/lanes.hpp). Materials are written
/// once over T and run on both. The scalar functions here are for `double`; packs bring their own, found by
/// argument-dependent lookup.

#include <cmath>
#include <limits>

/// Forces inlining: the algebra is only fast in registers, and compilers do not always inline it by themselves.
#define LIMBER_INLINE [[gnu::always_inline]] inline

namespace limber {

// Branches are written as selections, so that all lanes run the same instructions.
inline double select(bool c, double a, double b) { return c ? a : b; }
inline bool any(bool c) { return c; }
inline bool all(bool c) { return c; }

using std::abs;
using std::cbrt;
using std::exp;
using std::expm1;
using std::log;
using std::log1p;
using std::sinh;
using std::sqrt;
inline double max(double a, double b) { return a < b ? b : a; }
inline double min(double a, double b) { return b < a ? b : a; }

template <class T>
T infinity() {
  return T(std::numeric_limits<double>::infinity());
}

template <class T>
struct V3 {
  T v[3];
  LIMBER_INLINE T& operator[](int i) { return v[i]; }
  LIMBER_INLINE const T& operator[](int i) const { return v[i]; }
};

/// Fixed-size 3×3 matrix over T, row by row.
template <class T>
struct M3 {
  T m[9];
  LIMBER_INLINE T& operator()(int i, int j) { return m[3 * i + j]; }
  LIMBER_INLINE const T& operator()(int i, int j) const { return m[3 * i + j]; }
  LIMBER_INLINE V3<T> column(int j) const { return {m[j], m[3 + j], m[6 + j]}; }
};

/// 9×9 matrix over T acting on vec(F), column-major: entry i + 3j of vec(F) is F(i, j).
template <class T>
struct M9 {
  T m[9][9];
  T& operator()(int i, int j) { return m[i][j]; }
  const T& operator()(int i, int j) const { return m[i][j]; }
};

template <class T>
LIMBER_INLINE V3<T> operator+(const V3<T>& a, const V3<T>& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
template <class T>
LIMBER_INLINE V3<T> operator-(const V3<T>& a, const V3<T>& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
template <class T>
LIMBER_INLINE V3<T> operator*(const T& c, const V3<T>& a) {
  return {c * a[0], c * a[1], c * a[2]};
}
template <class T>
LIMBER_INLINE T dot(const V3<T>& a, const V3<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class T>
LIMBER_INLINE V3<T> cross(const V3<T>& a, const V3<T>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
template <class C, class T>
LIMBER_INLINE V3<T> select(const C& c, const V3<T>& a, const V3<T>& b) {
  return {select(c, a[0], b[0]), select(c, a[1], b[1]), select(c, a[2], b[2])};
}

template <class T>
LIMBER_INLINE M3<T> from_columns(const V3<T>& a, const V3<T>& b, const V3<T>& c) {
  return {{a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]}};
}
template <class T>
LIMBER_INLINE M3<T> diagonal(const T& a, const T& b, const T& c) {
  const T o(0.0);
  return {{a, o, o, o, b, o, o, o, c}};
}
template <class T>
LIMBER_INLINE M3<T> transpose(const M3<T>& A) {
  return {{A(0, 0), A(1, 0), A(2, 0), A(0, 1), A(1, 1), A(2, 1), A(0, 2), A(1, 2), A(2, 2)}};
}
template <class T>
LIMBER_INLINE M3<T> operator+(const M3<T>& A, const M3<T>& B) {
  M3<T> R;
  for (int k = 0; k < 9; ++k) R.m[k] = A.m[k] + B.m[k];
  return R;
}
template <class T>
LIMBER_INLINE M3<T> operator-(const M3<T>& A, const M3<T>& B) {
  M3<T> R;
  for (int k = 0; k < 9; ++k) R.m[k] = A.m[k] - B.m[k];
  return R;
}
template <class T>
LIMBER_INLINE M3<T> operator*(const T& c, const M3<T>& A) {
  M3<T> R;
  for (int k = 0; k < 9; ++k) R.m[k] = c * A.m[k];
  return R;
}
template <class T>
LIMBER_INLINE V3<T> operator*(const M3<T>& A, const V3<T>& x) {
  return {A(0, 0) * x[0] + A(0, 1) * x[1] + A(0, 2) * x[2], A(1, 0) * x[0] + A(1, 1) * x[1] + A(1, 2) * x[2],
          A(2, 0) * x[0] + A(2, 1) * x[1] + A(2, 2) * x[2]};
}
template <class T>
LIMBER_INLINE M3<T> operator*(const M3<T>& A, const M3<T>& B) {
  return from_columns(A * B.column(0), A * B.column(1), A * B.column(2));
}
/// A Bᵀ
template <class T>
LIMBER_INLINE M3<T> times_transposed(const M3<T>& A, const M3<T>& B) {
  return A * transpose(B);
}
/// A += a bᵀ
template <class T>
LIMBER_INLINE void add_outer(M3<T>& A, const V3<T>& a, const V3<T>& b) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) A(i, j) = A(i, j) + a[i] * b[j];
}
template <class T>
LIMBER_INLINE T trace(const M3<T>& A) {
  return A(0, 0) + A(1, 1) + A(2, 2);
}
/// A : B
template <class T>
LIMBER_INLINE T dot(const M3<T>& A, const M3<T>& B) {
  return dot(A.column(0), B.column(0)) + dot(A.column(1), B.column(1)) + dot(A.column(2), B.column(2));
}
/// cof A = ∂ det A / ∂A; its columns are cross products of those of A.
template <class T>
LIMBER_INLINE M3<T> cofactor(const M3<T>& A) {
  const V3<T> a = A.column(0), b = A.column(1), c = A.column(2);
  return from_columns(cross(b, c), cross(c, a), cross(a, b));
}
template <class T>
LIMBER_INLINE T det(const M3<T>& A) {
  return dot(A.column(0), cross(A.column(1), A.column(2)));
}
template <class C, class T>
LIMBER_INLINE M3<T> select(const C& c, const M3<T>& A, const M3<T>& B) {
  return from_columns(select(c, A.column(0), B.column(0)), select(c, A.column(1), B.column(1)),
                      select(c, A.column(2), B.column(2)));
}

}  // namespace limber
