#pragma once
/// Bending of rods of radius r, at each node between its edges (tangents t₁, t₂ at the angle φ, rest lengths of mean
/// l̄):
///
///     κb = 2 t₁ × t₂/(1 + t₁·t₂),  |κb| = 2 tan(φ/2);   straight at rest: W = ½ B/l̄ |κb|²,  B = E π r⁴/4 [N·m²].
///
/// Without a material frame a curved rod knows its angle, not its plane: see RodBending. No twist. Stretching is by
/// springs (rod_springs).

#include <array>
#include <string>
#include <vector>

#include "limber/force/bending.hpp"
#include "limber/force/springs.hpp"
#include "limber/force/stencils.hpp"
#include "limber/force/turning.hpp"

namespace limber {

/// B = E π r⁴/4 [N·m²] of a round rod, from E [Pa] and r [m].
double rod_stiffness(double young, double radius);

/// Springs k = E π r²/L along the edges, without force at q (3N). Throws InputError(where, …) for an edge of no length.
std::vector<Spring> rod_springs(const std::vector<std::array<int, 2>>& edges, const Vector& q, double young,
                                double radius, const std::string& where);

/// Bent at rest by φ₀, κ₀ = 2 tan(φ₀/2), the energy is smooth also at φ = 0, where |κb| is not:
///
///     W = ½ (B/l̄) (1 + η²) cos⁴(φ₀/2) (√(|κb|² + η²κ₀²) − √(1 + η²) κ₀)²,  η = ¼:
///
/// none at φ₀, and there ∂²W/∂φ² = B/l̄. The rod may turn its bend about its own axis, and far from φ₀ it is 1 + η²
/// stiffer than one straight at rest. W → ∞ where two edges fold onto each other.
class RodBending final : public Force, public TurningStiffness {
 public:
  /// Edges count nodes of q (3N), the rest shape. At a node of more than two edges each pair holds its angle of the
  /// rest shape, a welded joint; `rest` speaks of the others. Throws InputError(where…) for an edge of no length, a
  /// stiffness that is negative or not finite, and edges folded onto each other at rest.
  RodBending(const std::vector<std::array<int, 2>>& edges, const Vector& q, double stiffness, RestAngles rest,
             const std::string& where);

  ForceTraits traits() const override { return {.energy = EnergyKind::elastic}; }
  void add_couplings(Couplings& pairs) const override { corners_.add_couplings(pairs); }
  void add_force(const State& u, Vector& f) const override;
  /// Exact, or with each corner's 9 × 9 matrix projected.
  void add_tangent(const State& u, TangentBuilder& T) const override;
  std::optional<Potentials> potentials(const State& u) const override;
  /// What is straight at rest bends in two directions there, but in one where it is bent: then the other is a turn
  /// about its own axis. What remains of it fades as (1 + (|κb|/0.1)²)⁻².
  void add_turned_stiffness(const State& start, double dt, TangentBuilder& T) const override;

 private:
  struct Rest {
    double stiffness;        // that of √(|κb|² + smoothing) [N·m]
    double smoothing, root;  // η²κ₀², √(1 + η²) κ₀
  };
  std::vector<Rest> rest_;
  Stencils<3> corners_;  // neighbour, node, neighbour
};

}  // namespace limber
