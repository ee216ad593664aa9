#pragma once
/// dP/dF of an isotropic ψ(s₁, s₂, s₃), or its positive semidefinite part, F = U diag(s) Vᵀ. In the frame of U and V,
/// dP/dF has the 3×3 scaling block ∂²ψ/∂s_i∂s_j and, for each pair i ≠ j, the eigenvalues twist (ψ_i + ψ_j)/(s_i + s_j)
/// and flip (ψ_i − ψ_j)/(s_i − s_j). Materials supply these quotients in closed form, so equal or opposite singular
/// values need no limit here.

#include "limber/material/decompose.hpp"

namespace limber {

template <class T>
struct PrincipalDerivatives {
  V3<T> first;        // ψ_i
  M3<T> second;       // ψ_ij
  V3<T> twist, flip;  // [k] belongs to the pair i, j ≠ k
};

enum class Spectrum { positive, whole };

template <class T, Spectrum spectrum = Spectrum::positive>
class PrincipalTangent {
 public:
  using Contraction = V3<T>;

  PrincipalTangent(const Svd<T>& d, const PrincipalDerivatives<T>& psi, const T& w) : U_(d.U), Vt_(transpose(d.V)) {
    const V3<T> P = w * psi.first;
    stress_ = U_ * (diagonal(P[0], P[1], P[2]) * Vt_);
    if constexpr (spectrum == Spectrum::positive)
      scaling_ = w * positive_part(psi.second);
    else
      scaling_ = w * psi.second;
    for (int k = 0; k < 3; ++k) {
      T twist = psi.twist[k], flip = psi.flip[k];
      if constexpr (spectrum == Spectrum::positive) twist = max(twist, T(0.0)), flip = max(flip, T(0.0));
      same_[k] = T(0.5) * w * (flip + twist);
      mixed_[k] = T(0.5) * w * (flip - twist);
    }
  }

  const M3<T>& stress() const { return stress_; }
  LIMBER_INLINE Contraction contract(const V3<T>& g) const { return Vt_ * g; }
  LIMBER_INLINE M3<T> block(const Contraction& a, const Contraction& b) const {
    M3<T> B;
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      B(i, i) = scaling_(i, i) * a[i] * b[i] + same_[k] * a[j] * b[j] + same_[j] * a[k] * b[k];
      B(i, j) = scaling_(i, j) * a[i] * b[j] + mixed_[k] * a[j] * b[i];
      B(i, k) = scaling_(i, k) * a[i] * b[k] + mixed_[j] * a[k] * b[i];
    }
    return times_transposed(U_ * B, U_);
  }

 private:
  M3<T> U_, Vt_, stress_, scaling_;
  V3<T> same_, mixed_;  // of the 2×2 blocks [same mixed; mixed same] of the pair i, j ≠ k
};

}  // namespace limber
