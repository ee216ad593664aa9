#pragma once  // internal
/// Rotation of small parts of a body during their motion, and the rest stiffness of a material rotated with them
/// (turning.hpp), over a scalar T.

#include "limber/core/small_matrices.hpp"
#include "limber/force/stencils.hpp"
#include "limber/material/catalog.hpp"
#include "limber/material/decompose.hpp"

namespace limber {

/// The law at rest: P = 2μ ε + λ tr ε. `turns`: whether it is frame indifferent, true except for `linear`.
struct RestModuli {
  double mu, lambda;
  bool turns;
};
RestModuli rest_moduli(const AnyMaterial& material);

namespace detail {

/// (Σ |r|² 1 − r rᵀ)⁻¹: multiplied by Σ r × rate, it gives the ω nearest to the rates of edges r. There is no rotation
/// about an axis that contains all edges.
template <class T>
M3<T> inverse_inertia(const V3<T>* r, int n) {
  const T o(0.0), i(1.0);
  M3<T> B = diagonal(o, o, o);
  for (int k = 0; k < n; ++k) add_outer(B, r[k], r[k]);
  const T size = trace(B), scale = select(size > o, i / select(size > o, size, i), o);
  constexpr double rod = 1e-14;
  const T whole = i + T(rod);
  const M3<T> N = diagonal(whole, whole, whole) - scale * B;
  return (scale / det(N)) * cofactor(N);
}

template <class T>
V3<T> moment(const V3<T>* r, const V3<T>* rate, int n) {
  V3<T> sum = cross(r[0], rate[0]);
  for (int k = 1; k < n; ++k) sum = sum + cross(r[k], rate[k]);
  return sum;
}

}  // namespace detail

/// Moves edges with a common start for dt: rotated by the ω that minimises Σ |rate − ω × r|², and moved straight by the
/// remainder of their rates.
template <class T>
void move_on(V3<T>* r, const V3<T>* rate, int n, double dt) {
  using std::sin;
  const V3<T> omega = detail::inverse_inertia(r, n) * detail::moment(r, rate, n), a = T(dt) * omega;
  const T square = dot(a, a) + T(1e-300), angle = sqrt(square), half = sin(T(0.5) * angle);
  const T first = sin(angle) / angle, second = T(2.0) * half * half / square;
  for (int k = 0; k < n; ++k) {
    const V3<T> x = r[k] + T(dt) * (rate[k] - cross(omega, r[k])), ax = cross(a, x);
    r[k] = x + first * ax + second * cross(a, ax);
  }
}

/// The same for F, whose columns are edges.
template <class T>
M3<T> moved_on(const M3<T>& F, const M3<T>& rate, double dt) {
  V3<T> r[3] = {F.column(0), F.column(1), F.column(2)};
  const V3<T> rates[3] = {rate.column(0), rate.column(1), rate.column(2)};
  move_on(r, rates, 3, dt);
  return from_columns(r[0], r[1], r[2]);
}

/// The same for n points.
template <int n>
Eigen::Matrix<double, 3, n> moved_on(const Eigen::Matrix<double, 3, n>& x, const Eigen::Matrix<double, 3, n>& v,
                                     double dt) {
  V3<double> r[n - 1], rates[n - 1];
  const auto edge = [](const Eigen::Matrix<double, 3, n>& of, int a) -> V3<double> {
    const Vec3 e = of.col(a) - of.col(0);
    return {e[0], e[1], e[2]};
  };
  for (int a = 1; a < n; ++a) r[a - 1] = edge(x, a), rates[a - 1] = edge(v, a);
  move_on(r, rates, n - 1, dt);
  Eigen::Matrix<double, 3, n> moved;
  moved.col(0) = x.col(0);
  for (int a = 1; a < n; ++a) moved.col(a) = x.col(0) + Vec3(r[a - 1][0], r[a - 1][1], r[a - 1][2]);
  return moved;
}

/// The Hessian of μ ε:ε + λ/2 (tr ε)² in Ḟ for the strain rates ε = sym(Rᵀ (Ḟ − [ω] F)), with the rotation R of F and
/// the ω nearest to Ḟ.
template <class T>
M9<T> turned_hessian(const M3<T>& F, const T& mu, const T& lambda) {
  const V3<T> f[3] = {F.column(0), F.column(1), F.column(2)};
  const M3<T> inverse = detail::inverse_inertia(f, 3), R = polar(F).R;
  M9<T> H;
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 9; ++j) H(i, j) = lambda * R(i % 3, i / 3) * R(j % 3, j / 3);
  for (int a = 0; a < 3; ++a)
    for (int b = a; b < 3; ++b) {
      const T half(0.5), o(0.0);
      V3<T> m[3] = {{o, o, o}, {o, o, o}, {o, o, o}};  // ∂ε_ab/∂Ḟ, by columns
      m[b] = m[b] + half * R.column(a);
      m[a] = m[a] + half * R.column(b);
      const V3<T> turn = inverse * detail::moment(f, m, 3);
      for (int k = 0; k < 3; ++k) m[k] = m[k] - cross(turn, f[k]);
      const T weight = T(a == b ? 2.0 : 4.0) * mu;
      for (int i = 0; i < 9; ++i)
        for (int j = 0; j < 9; ++j) H(i, j) = H(i, j) + weight * m[i / 3][i % 3] * m[j / 3][j % 3];
    }
  return H;
}

}  // namespace limber
