#pragma once
/// Bending of sheets at the edges between triangles, θ the angle between neighbouring normals, |e| and A at rest:
///
///     W = ½ Σ D |e|²/(A₁ + A₂) (θ − θ₀)²,   D = E t³/(12(1 − ν²)) [N·m].
///
/// A regular mesh (equilateral, or squares cut in two) bent along a side to a cylinder of radius R has the plate's
/// energy, ½ D/R² per area. For other bends the energy depends on the mesh: see BendingForce.

#include <span>
#include <string>
#include <vector>

#include "limber/force/stencils.hpp"
#include "limber/force/turning.hpp"
#include "limber/mesh/io/surface_io.hpp"

namespace limber {

/// D [N·m] from E [Pa], ν and the thickness t [m].
double plate_stiffness(double young, double poisson, double thickness);

/// Angles without force: those of the rest shape, or zero.
enum class RestAngles { of_rest_shape, zero };

/// Equilateral triangles act as an isotropic plate with D (2/3 H² + 4/3 Δ²) per area, H, Δ = (κ₁ ± κ₂)/2: every
/// cylinder has the exact energy, but Poisson's ratio in bending is −1/3, whatever ν is used in D. Squares cut by
/// parallel diagonals have ½ D ((κ_xx + κ_xy)² + (κ_yy + κ_xy)² + 4 κ_xy²): exact for cylinders bent along the sides or
/// across the diagonals, 3 times too stiff along the diagonals.
class BendingForce final : public Force, public TurningStiffness {
 public:
  /// The mesh's nodes are the rest shape; node i of the mesh is node first_node + i of the state. stiffness: #F, D of
  /// each triangle [N·m]; an edge has the mean of its two triangles. If more than two triangles meet at an edge, each
  /// pair of them has its own angle. Angles differ from θ₀ by less than π, since beyond that the opposite way is
  /// shorter. Throws InputError(where…) for a triangle of zero area or a D that is negative or not finite.
  BendingForce(const TriMesh& mesh, int first_node, std::span<const double> stiffness, RestAngles rest,
               const std::string& where);

  ForceTraits traits() const override { return {.energy = EnergyKind::elastic}; }
  void add_couplings(Couplings& pairs) const override { hinges_.add_couplings(pairs); }
  void add_force(const State& u, Vector& f) const override;
  /// Exact, or with each edge's 12 × 12 matrix projected.
  void add_tangent(const State& u, TangentBuilder& T) const override;
  std::optional<Potentials> potentials(const State& u) const override;
  void add_turned_stiffness(const State& start, double dt, TangentBuilder& T) const override;

 private:
  struct Rest {
    double stiffness;  // D |e|²/(A₁ + A₂) [N·m]
    double angle;      // θ₀
  };
  std::vector<Rest> rest_;
  Stencils<4> hinges_;  // the edge's two nodes, then the two opposite ones
};

}  // namespace limber
