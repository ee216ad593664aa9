#pragma once
/// Common interface of materials. A material provides ψ(F) and a "tangent" object that gives w P(F) and, for vectors a
/// and b of the reference shape, the 3×3 block  w Σ_jl a_j (∂P_ij/∂F_kl) b_l. With shape gradients as a and b these are
/// an element's stiffness blocks, so that the element loop forms no 9×9 matrix; with unit vectors they give the
/// Hessian. A material is a template over the type of its parameters, double or Lanes (one value per lane), and stores
/// nothing else.

#include <array>

#include "limber/core/small_matrices.hpp"
#include "limber/material/parameters.hpp"

namespace limber {

/// dP/dF assembled from the blocks of unit vectors.
template <class T, class Tangent>
M9<T> expand(const Tangent& tangent) {
  const T o(0.0), i(1.0);
  const typename Tangent::Contraction contracted[3] = {tangent.contract({i, o, o}), tangent.contract({o, i, o}),
                                                       tangent.contract({o, o, i})};
  M9<T> H;
  for (int j = 0; j < 3; ++j)
    for (int l = 0; l < 3; ++l) {
      const M3<T> block = tangent.block(contracted[j], contracted[l]);
      for (int r = 0; r < 3; ++r)
        for (int k = 0; k < 3; ++k) H(r + 3 * j, k + 3 * l) = block(r, k);
    }
  return H;
}

/// How λ (or the bulk modulus) enters ψ: as λ/2 (J − 1)², as λ/2 (ln J)², or not through J alone. In the first two
/// cases the material has soften(κ), which reduces λ by κ, so that ψ is reduced by κ times that function.
enum class Volumetric { none, quadratic, logarithmic };

template <class Derived>
struct MaterialBase {
  /// P = ∂ψ/∂F [Pa]
  template <class T>
  M3<T> stress(const M3<T>& F) const {
    return self().tangent(F, T(1.0)).stress();
  }
  /// dP/dF on vec(F), exact [Pa]
  template <class T>
  M9<T> hessian(const M3<T>& F) const {
    return expand<T>(self().tangent(F, T(1.0)));
  }
  /// dP/dF with its negative eigenvalues set to 0
  template <class T>
  M9<T> hessian_psd(const M3<T>& F) const {
    return expand<T>(self().tangent_psd(F, T(1.0)));
  }

  static constexpr bool needs_positive_det = false;
  static constexpr Volumetric volumetric = Volumetric::none;
  /// Parameters in addition to E and ν, and the keys that together replace both, as in "c10 c01 bulk".
  static constexpr std::array<MaterialParameter, 0> parameters{};
  static constexpr std::array<const char*, 0> sufficient{};
  /// Sets E and ν if the model's own parameters replace them. Throws InputError(parameter, …) if they are inconsistent.
  static void complete(MaterialParameters&) {}

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }
};

}  // namespace limber
