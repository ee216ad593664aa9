#pragma once
/// Viscosity in addition to elasticity: Maxwell branches, each a spring with a dashpot, as a Prony series
///
///     G(t) = G∞ + Σ G_i e^(−t/τ_i),   g_i = G_i/G(0),   γ_i = G_i/G∞ = g_i/(1 − Σ g).
///
/// The constants of a material are long-term values, G∞; all its moduli have the same series.

#include <vector>

namespace limber {

struct MaxwellBranch {
  double share = 0;  // g, relative to the instantaneous modulus
  double time = 0;   // τ [s]
  bool operator==(const MaxwellBranch&) const = default;
};
using Viscosity = std::vector<MaxwellBranch>;

/// G(0)/G∞ = 1/(1 − Σ g).
inline double instantaneous_ratio(const Viscosity& branches) {
  double rest = 1;
  for (const MaxwellBranch& branch : branches) rest -= branch.share;
  return 1 / rest;
}

}  // namespace limber
