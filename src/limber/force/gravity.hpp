#pragma once
/// Weight,  f_i = m_i g,  W = −Σ m_i g · x_i.

#include "limber/model/force.hpp"

namespace limber {

class Gravity : public Force, public LoadForce {
 public:
  /// Nodal masses [kg], #N: row sums of the mass matrix, so that f = M g even if it is not diagonal; g [m/s²].
  Gravity(Vector masses, const Vec3& g) : masses_(std::move(masses)), g_(g) {}

  ForceTraits traits() const override { return {.energy = EnergyKind::gravitational}; }
  void add_couplings(std::vector<std::pair<int, int>>&) const override {}
  void add_force(const State& u, Vector& f) const override;
  void add_tangent(const State&, TangentBuilder&) const override {}
  std::optional<Potentials> potentials(const State& u) const override;
  void apply(double share) override { share_ = share; }

 private:
  Vector masses_;
  Vec3 g_;
  double share_ = 1;
};

}  // namespace limber
