#pragma once
/// The force of a body that yields: St. Venant-Kirchhoff with von Mises' condition and linear isotropic hardening. With
/// the plastic strain E_p and the slip α, both constant during a step, and q = √(3/2 s:s) of s = 2μ dev (E − E_p),
///
///     W = κ/2 (tr E)² + q²/(6μ) − f²/(2 (3μ + H)),   f = max(0, q − σ_y − H α),   S = ∂W/∂E,
///
/// whose stress is that of the radial return by Δγ = f/(3μ + H). It is carried out once, when a step is accepted:
/// E_p += Δγ ∂q/∂s, α += Δγ. Simo and Hughes, Computational Inelasticity, 1998, box 3.2.

#include <memory>
#include <vector>

#include "limber/force/element_force.hpp"
#include "limber/force/point_states.hpp"
#include "limber/model/storing_force.hpp"

namespace limber {

struct MeanShares;

class PlasticForce final : public ElementForce, public LearningForce, public StoringForce {
 public:
  /// Whether a material has a yield stress.
  static bool yields(const AnyMaterial& material);

  /// As ElasticForce, which the former one may be; materials without a yield stress stay elastic.
  PlasticForce(const ElementForce& former, const ElementMesh& mesh, int first_node,
               const std::vector<AnyMaterial>& materials, const std::vector<int>& material_of_element,
               const MeanParts& means);

  ForceTraits traits() const override { return {.energy = EnergyKind::elastic}; }
  void begin_step(const State& u) override;
  /// E_p (00, 11, 22, 12, 02, 01) and α of each point, by element.
  std::vector<double> memory() const override { return past_.by_element(); }
  void restore(const std::vector<double>& memory) override;
  /// What is elastic, and H/2 α².
  double stored_energy(const State& u) const override;

 private:
  PlasticForce(const MeanShares& shares, const std::shared_ptr<ElementBatches>& former);
  std::shared_ptr<const double> at_points(double) const override { return {std::shared_ptr<void>(), past_.at(0, 0)}; }

  PointStates past_;
};

}  // namespace limber
