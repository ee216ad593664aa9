#pragma once
/// F = U diag(s) Vᵀ with U, V in SO(3), s₁ ≥ s₂ ≥ |s₃| and s₃ < 0 for an inverted F, and F = R S with R = U Vᵀ. No
/// branches on single lanes, so that a batch of matrices is processed together.

#include "limber/core/small_matrices.hpp"

namespace limber {

template <class T>
struct Svd {
  M3<T> U;
  V3<T> s;
  M3<T> V;
};

namespace detail {

/// c, s of the rotation (p, q) ← (c p − s q, s p + c q) that makes p and q orthogonal, from p·p, q·q, p·q.
template <class T>
std::pair<T, T> jacobi_rotation(const T& pp, const T& qq, const T& pq) {
  const T d = qq - pp, twice = T(2.0) * pq;
  const T root = abs(d) + sqrt(d * d + twice * twice);
  const T t = select(root > T(0.0), select(d < T(0.0), -twice, twice) / select(root > T(0.0), root, T(1.0)), T(0.0));
  const T c = T(1.0) / sqrt(T(1.0) + t * t);
  return {c, c * t};
}

template <class T>
void rotate(V3<T>& p, V3<T>& q, const T& c, const T& s) {
  const V3<T> a = p, b = q;
  p = c * a - s * b;
  q = s * a + c * b;
}

/// Swaps columns p and q of B and V if |b_q| > |b_p|; a sign preserves det V.
template <class T>
void order_columns(V3<T>& bp, V3<T>& bq, V3<T>& vp, V3<T>& vq) {
  const auto swap = dot(bp, bp) < dot(bq, bq);
  const V3<T> b = bp, v = vp;
  bp = select(swap, bq, bp);
  vp = select(swap, vq, vp);
  bq = select(swap, T(-1.0) * b, bq);
  vq = select(swap, T(-1.0) * v, vq);
}

/// A unit vector orthogonal to the unit vector u.
template <class T>
V3<T> any_orthogonal(const V3<T>& u) {
  const T x = abs(u[0]), y = abs(u[1]), z = abs(u[2]), o(0.0), i(1.0);
  const auto x_least = (x <= y) & (x <= z);
  const V3<T> e = select(x_least, V3<T>{i, o, o}, select(y <= z, V3<T>{o, i, o}, V3<T>{o, o, i}));
  const V3<T> w = e - dot(e, u) * u;
  return (i / sqrt(dot(w, w))) * w;
}

}  // namespace detail

/// One-sided Jacobi: orthogonalises the columns of F V, which keeps all digits (FᵀF would lose half of them).
template <class T>
Svd<T> svd(const M3<T>& F) {
  const T o(0.0), i(1.0);
  V3<T> b[3] = {F.column(0), F.column(1), F.column(2)};
  V3<T> v[3] = {{i, o, o}, {o, i, o}, {o, o, i}};
  const T limit = T(4e-32) * dot(F, F);
  for (int sweep = 0; sweep < 16; ++sweep) {
    bool converged = true;
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q) {
        const T pp = dot(b[p], b[p]), qq = dot(b[q], b[q]), pq = dot(b[p], b[q]);
        if (!any(pq * pq > limit * max(pp, qq))) continue;
        converged = false;
        const auto [c, s] = detail::jacobi_rotation(pp, qq, pq);
        detail::rotate(b[p], b[q], c, s);
        detail::rotate(v[p], v[q], c, s);
      }
    if (converged) break;
  }
  detail::order_columns(b[0], b[1], v[0], v[1]);
  detail::order_columns(b[0], b[2], v[0], v[2]);
  detail::order_columns(b[1], b[2], v[1], v[2]);

  const T s1 = sqrt(dot(b[0], b[0]));
  const V3<T> u1 = select(s1 > o, (i / select(s1 > o, s1, i)) * b[0], V3<T>{i, o, o});
  const V3<T> w = b[1] - dot(u1, b[1]) * u1;
  const T norm = sqrt(dot(w, w));
  const auto has_second = norm > T(1e-15) * s1;
  const V3<T> u2 = select(has_second, (i / select(has_second, norm, i)) * w, detail::any_orthogonal(u1));
  const V3<T> u3 = cross(u1, u2);
  return {from_columns(u1, u2, u3), {s1, max(dot(u2, b[1]), o), dot(u3, b[2])}, from_columns(v[0], v[1], v[2])};
}

/// Compiled once (decompose.cpp), so that its bits do not depend on the caller.
extern template Svd<double> svd(const M3<double>& F);

/// The rotation R of F = R S, and the spatial inverse of (tr S) I − S, G = R ((tr S) I − S)⁻¹ Rᵀ, which gives the
/// derivative of R: dR = R [ω], ω = Rᵀ G R axl(Rᵀ dF − dFᵀ R).
template <class T>
struct Polar {
  M3<T> R, G;
};

namespace detail {

/// If s₂ + s₃ = 0, the rotation has no derivative; below this value the derivative is kept finite.
inline constexpr double least_stretch_sum = 1e-8;

template <class T>
Polar<T> polar_by_svd(const M3<T>& F) {
  const Svd<T> d = svd(F);
  const T floor(least_stretch_sum);
  const T a = T(1.0) / max(d.s[1] + d.s[2], floor), b = T(1.0) / max(d.s[0] + d.s[2], floor),
          c = T(1.0) / max(d.s[0] + d.s[1], floor);
  return {times_transposed(d.U, d.V), times_transposed(d.U * diagonal(a, b, c), d.U)};
}

}  // namespace detail

/// tr S = s₁ + s₂ + s₃ is the largest root of x⁴ − 2 I x² − 8 J x + I² − 4 II, found by Newton's method from above, and
/// R = ∂ tr S / ∂F by implicit differentiation. The denominator is 2 (s₁+s₂)(s₁+s₃)(s₂+s₃). If it is small compared
/// with (tr S)³, accuracy is lost and the singular value decomposition is used instead.
template <class T>
Polar<T> polar(const M3<T>& F) {
  const M3<T> C = cofactor(F), B = times_transposed(F, F);
  const T I = trace(B), II = dot(C, C), J = dot(F.column(0), C.column(0));
  const T last = I * I - T(4.0) * II;
  T x = sqrt(T(3.0) * I);
  for (int k = 0; k < 12; ++k) {
    const T xx = x * x;
    const T value = (xx - T(2.0) * I) * xx - T(8.0) * J * x + last, slope = T(4.0) * (x * (xx - I) - T(2.0) * J);
    const T step = value / slope;
    x = x - step;
    if (all(abs(step) <= T(1e-9) * x)) break;
  }
  const T denominator = x * (x * x - I) - T(2.0) * J;
  const auto sound = denominator > T(0.05) * x * x * x;
  const T scale = T(1.0) / select(sound, denominator, T(1.0));
  Polar<T> result;
  result.R = scale * ((x * x + I) * F - T(2.0) * (B * F) + (T(2.0) * x) * C);
  // With V = F Rᵀ the left stretch:  ((tr V) 1 − V)⁻¹ = cof((tr V) 1 − V) / det, and det = denominator / 2.
  const M3<T> stretch = times_transposed(F, result.R);
  const M3<T> gap = diagonal(x, x, x) - stretch;
  const M3<T> adjugate = cofactor(gap);
  result.G = scale * (adjugate + transpose(adjugate));
  if (all(sound)) return result;
  const Polar<T> careful = detail::polar_by_svd(F);
  return {select(sound, result.R, careful.R), select(sound, result.G, careful.G)};
}

/// The positive semidefinite matrix nearest to the symmetric A: negative eigenvalues become 0.
template <class T>
M3<T> positive_part(const M3<T>& A) {
  const T minor = A(0, 0) * A(1, 1) - A(0, 1) * A(0, 1);
  if (all(A(0, 0) > T(0.0)) && all(minor > T(0.0)) && all(det(A) > T(0.0))) return A;

  const T o(0.0), i(1.0);
  M3<T> D = A;
  V3<T> v[3] = {{i, o, o}, {o, i, o}, {o, o, i}};
  const T limit = T(1e-33) * dot(A, A);
  for (int sweep = 0; sweep < 12; ++sweep) {
    if (!any(D(0, 1) * D(0, 1) + D(0, 2) * D(0, 2) + D(1, 2) * D(1, 2) > limit)) break;
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q) {
        const auto [c, s] = detail::jacobi_rotation(D(p, p), D(q, q), D(p, q));
        for (int k = 0; k < 3; ++k) {
          const T x = D(k, p), y = D(k, q);
          D(k, p) = c * x - s * y;
          D(k, q) = s * x + c * y;
        }
        for (int k = 0; k < 3; ++k) {
          const T x = D(p, k), y = D(q, k);
          D(p, k) = c * x - s * y;
          D(q, k) = s * x + c * y;
        }
        detail::rotate(v[p], v[q], c, s);
      }
  }
  M3<T> P = diagonal(o, o, o);
  for (int k = 0; k < 3; ++k) add_outer(P, max(D(k, k), o) * v[k], v[k]);
  return P;
}

}  // namespace limber
