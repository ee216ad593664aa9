#pragma once
/// Isotropic materials ψ(I, II, J) in  I = ‖F‖²,  II = ‖cof F‖² = (I² − ‖FᵀF‖²)/2,  J = det F.
/// P = 2ψ_I F + 2ψ_II (I F − F FᵀF) + ψ_J cof F; everything else follows from the first and second derivatives of ψ.

#include "limber/material/material_base.hpp"
#include "limber/material/principal.hpp"

namespace limber {

template <class T>
struct Invariants {
  T I, II, J;
};

template <class T>
struct InvariantDerivatives {
  T I, II, J;                          // ∂ψ/∂I, …
  T I_I, I_II, I_J, II_II, II_J, J_J;  // ∂²ψ/∂I², …
};

/// The derivatives a material has; others are never read. ψ_I and ψ_J are always used.
enum DerivativeSet : unsigned {
  psi_II = 1,
  psi_I_I = 2,
  psi_I_II = 4,
  psi_I_J = 8,
  psi_II_II = 16,
  psi_II_J = 32,
  psi_J_J = 64
};

template <class T, unsigned uses>
class InvariantTangent {
  static constexpr bool has(unsigned set) { return (uses & set) != 0; }
  static constexpr bool row_I = has(psi_I_I | psi_I_II | psi_I_J), row_J = has(psi_J_J | psi_I_J | psi_II_J),
                        row_II = has(psi_II_II | psi_I_II | psi_II_J), with_II = has(psi_II) || row_II;

 public:
  /// Quantities of a vector g used by the blocks: g, half of ∂I/∂F g and ∂II/∂F g, ∂J/∂F g, and the second derivatives
  /// applied to them.
  struct Contraction {
    V3<T> g, I, II, J, on_I, on_II, on_J;
  };

  LIMBER_INLINE InvariantTangent(const M3<T>& F, const M3<T>& C, const T& I, const InvariantDerivatives<T>& d,
                                 const T& w)
      : F_(F), C_(C), I_(I), p_I_(T(2.0) * w * d.I), p_J_(w * d.J) {
    const T two = T(2.0) * w, four = T(4.0) * w;
    if constexpr (with_II) B_ = times_transposed(F, F);
    if constexpr (has(psi_II)) p_II_ = two * d.II;
    if constexpr (has(psi_I_I)) c_.I_I = four * d.I_I;
    if constexpr (has(psi_I_II)) c_.I_II = four * d.I_II;
    if constexpr (has(psi_II_II)) c_.II_II = four * d.II_II;
    if constexpr (has(psi_I_J)) c_.I_J = two * d.I_J;
    if constexpr (has(psi_II_J)) c_.II_J = two * d.II_J;
    if constexpr (has(psi_J_J)) c_.J_J = w * d.J_J;
  }

  LIMBER_INLINE M3<T> stress() const {
    M3<T> P = p_I_ * F_ + p_J_ * C_;
    if constexpr (has(psi_II)) P = P + p_II_ * (I_ * F_ - B_ * F_);
    return P;
  }

  LIMBER_INLINE Contraction contract(const V3<T>& g) const {
    Contraction a;
    a.g = g;
    a.I = F_ * g;
    a.J = C_ * g;
    if constexpr (with_II) a.II = I_ * a.I - B_ * a.I;
    if constexpr (row_I) a.on_I = row<psi_I_I, psi_I_II, psi_I_J>(a, c_.I_I, c_.I_II, c_.I_J);
    if constexpr (row_II) a.on_II = row<psi_I_II, psi_II_II, psi_II_J>(a, c_.I_II, c_.II_II, c_.II_J);
    if constexpr (row_J) a.on_J = row<psi_I_J, psi_II_J, psi_J_J>(a, c_.I_J, c_.II_J, c_.J_J);
    return a;
  }

  LIMBER_INLINE M3<T> block(const Contraction& a, const Contraction& b) const {
    const T ab = dot(a.g, b.g);
    T unit = p_I_ * ab;
    if constexpr (has(psi_II)) unit = unit + p_II_ * (I_ * ab - dot(a.I, b.I));
    // ∂²J: the tensor ε_ikm [F (a × b)]_m
    const V3<T> t = p_J_ * (F_ * cross(a.g, b.g));
    M3<T> K{{unit, t[2], -t[1], -t[2], unit, t[0], t[1], -t[0], unit}};
    if constexpr (has(psi_II)) {
      add_outer(K, (T(2.0) * p_II_) * a.I, b.I);
      add_outer(K, (T(-1.0) * p_II_) * b.I, a.I);
      K = K - (p_II_ * ab) * B_;
    }
    if constexpr (row_I) add_outer(K, a.I, b.on_I);
    if constexpr (row_II) add_outer(K, a.II, b.on_II);
    if constexpr (row_J) add_outer(K, a.J, b.on_J);
    return K;
  }

 private:
  template <unsigned with_I, unsigned with_II_too, unsigned with_J>
  LIMBER_INLINE static V3<T> row(const Contraction& a, const T& on_I, const T& on_II, const T& on_J) {
    if constexpr (has(with_I)) {
      V3<T> y = on_I * a.I;
      if constexpr (has(with_II_too)) y = y + on_II * a.II;
      if constexpr (has(with_J)) y = y + on_J * a.J;
      return y;
    } else if constexpr (has(with_II_too)) {
      V3<T> y = on_II * a.II;
      if constexpr (has(with_J)) y = y + on_J * a.J;
      return y;
    } else {
      return on_J * a.J;
    }
  }

  M3<T> F_, C_, B_;  // B = F Fᵀ
  T I_, p_I_, p_II_, p_J_;
  InvariantDerivatives<T> c_;  // second derivatives, times w and the factors omitted in Contraction
};

/// ψ_i, ψ_ij, twist and flip from the derivatives in the invariants; all quotients are polynomials.
template <unsigned uses, class T>
PrincipalDerivatives<T> principal_derivatives(const V3<T>& s, const InvariantDerivatives<T>& d) {
  const T o(0.0);
  const auto used = [&](unsigned set, const T& value) { return (uses & set) != 0 ? value : o; };
  const T two(2.0), psi_2 = used(psi_II, d.II);
  const T I = dot(s, s);
  const M3<T> second{{used(psi_I_I, d.I_I), used(psi_I_II, d.I_II), used(psi_I_J, d.I_J),        //
                      used(psi_I_II, d.I_II), used(psi_II_II, d.II_II), used(psi_II_J, d.II_J),  //
                      used(psi_I_J, d.I_J), used(psi_II_J, d.II_J), used(psi_J_J, d.J_J)}};
  V3<T> slope[3];  // [i] = ∂(I, II, J)/∂s_i
  PrincipalDerivatives<T> p;
  for (int i = 0; i < 3; ++i) {
    const T& sj = s[(i + 1) % 3];
    const T& sk = s[(i + 2) % 3];
    slope[i] = {two * s[i], two * s[i] * (I - s[i] * s[i]), sj * sk};
    p.first[i] = dot(slope[i], V3<T>{d.I, psi_2, d.J});
    const T even = two * (d.I + psi_2 * s[i] * s[i]), odd = s[i] * d.J + two * psi_2 * sj * sk;
    p.twist[i] = even + odd;
    p.flip[i] = even - odd;
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const T own =
          i == j ? two * (d.I + psi_2 * (I - s[i] * s[i])) : T(4.0) * psi_2 * s[i] * s[j] + d.J * s[3 - i - j];
      p.second(i, j) = own + dot(slope[i], second * slope[j]);
    }
  return p;
}

/// Derived provides `uses` and `derivatives(Invariants)`; `energy(F)` may use `invariants(F)`.
template <class Derived, unsigned uses_>
struct InvariantMaterial : MaterialBase<Derived> {
  static constexpr unsigned uses = uses_;

  template <class T>
  static Invariants<T> invariants(const M3<T>& F) {
    const M3<T> C = cofactor(F);
    return {dot(F, F), dot(C, C), dot(F.column(0), C.column(0))};
  }
  template <class T>
  LIMBER_INLINE InvariantTangent<T, uses_> tangent(const M3<T>& F, const T& w) const {
    const M3<T> C = cofactor(F);
    const Invariants<T> x{dot(F, F), dot(C, C), dot(F.column(0), C.column(0))};
    return {F, C, x.I, derived().derivatives(x), w};
  }
  template <class T>
  PrincipalTangent<T> tangent_psd(const M3<T>& F, const T& w) const {
    const Svd<T> d = svd(F);
    const V3<T>& s = d.s;
    const V3<T> c = {s[1] * s[2], s[2] * s[0], s[0] * s[1]};
    const Invariants<T> x{dot(s, s), dot(c, c), s[0] * c[0]};
    return {d, principal_derivatives<uses_>(s, derived().derivatives(x)), w};
  }

 private:
  const Derived& derived() const { return static_cast<const Derived&>(*this); }
};

}  // namespace limber
