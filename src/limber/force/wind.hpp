#pragma once
/// Wind on boundary triangles. With the area vector a = ½ e₁ × e₂ [m²] at the current q, the velocity of the air w(t)
/// relative to the triangle's mean velocity, u = w − v̄, and s = u · a, the force on a triangle is
///
///     ½ ρ C_d |s| s a / |a|²,   a third at each node.
///
/// D is exact. ∂f/∂q is omitted from K: the force is exact, Newton's matrix is not (small compared with elasticity).

#include <array>

#include "limber/model/force.hpp"
#include "limber/model/time_function.hpp"

namespace limber {

class Wind : public Force, public LoadForce {
 public:
  /// Air velocity w [m/s], air density ρ [kg/m³], drag coefficient C_d. Throws InputError(where + key, …) if ρ or C_d
  /// is negative or not finite.
  Wind(std::vector<std::array<int, 3>> triangles, TimeFunction<Vec3> velocity, double air_density, double drag,
       const std::string& where);

  ForceTraits traits() const override {
    return {.velocity_dependent = true, .has_potential = false, .time_dependent = !velocity_.is_constant()};
  }
  void add_couplings(std::vector<std::pair<int, int>>& pairs) const override;
  void add_force(const State& u, Vector& f) const override;
  void add_tangent(const State& u, TangentBuilder& T) const override;
  std::optional<Potentials> potentials(const State&) const override { return std::nullopt; }
  void apply(double share) override { share_ = share; }

 private:
  std::vector<std::array<int, 3>> triangles_;
  TimeFunction<Vec3> velocity_;
  double pressure_factor_;  // ½ ρ C_d [kg/m³]
  double share_ = 1;
};

}  // namespace limber
