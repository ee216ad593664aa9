#pragma once
/// The force of a viscoelastic body: Maxwell branches on any material (quasi-linear viscoelasticity). With the stress
/// S(E) of the elastic material, S = F⁻¹P, E = (FᵀF − 1)/2 (for `linear`: P and ε), each branch has an internal stress
/// T_i. Total stress, its evolution, and the branch energy for the accounts are
///
///     S + Σ γ_i (S − T_i),   τ_i Ṫ_i = S − T_i,   and for accounts its energy,   Ẇ_i = γ_i (S − T_i) : Ė − 2 W_i/τ_i.
///
/// From the start of a step, S and E are taken as linear in time: S_total = c(t) S(E) + B(t), which has a potential.

#include <memory>
#include <vector>

#include "limber/core/memo.hpp"
#include "limber/force/element_force.hpp"
#include "limber/force/point_states.hpp"
#include "limber/material/viscosity.hpp"
#include "limber/model/following_force.hpp"
#include "limber/model/storing_force.hpp"

namespace limber {

class ViscousKernel;
struct ElementBlock;
struct MeanShares;

/// Before the first step, and at its start, the body is relaxed: T = S, W_i = 0. Nearly inverted elements have no
/// memory, since it needs F⁻¹: below det F = 0.1 S fades, and it is 0 for inverted elements.
class ViscoelasticForce final : public ElementForce,
                                public LearningForce,
                                public FollowingForce,
                                public DampingForce,
                                public StoringForce {
 public:
  /// As ElasticForce. viscosities: #materials; elements without one are elastic. Parts acting on means are elastic too.
  ViscoelasticForce(const ElementMesh& mesh, int first_node, const std::vector<AnyMaterial>& materials,
                    const std::vector<Viscosity>& viscosities, const std::vector<int>& material_of_element,
                    const MeanParts& means = {});
  /// As that of ElasticForce; the former may be an elastic force.
  ViscoelasticForce(const ElementForce& former, const ElementMesh& mesh, int first_node,
                    const std::vector<AnyMaterial>& materials, const std::vector<Viscosity>& viscosities,
                    const std::vector<int>& material_of_element, const MeanParts& means);
  ~ViscoelasticForce() override;

  ForceTraits traits() const override;
  // potentials: for the last step begun, Σ V (c ψ + B:E).
  void begin_step(const State& u) override;
  bool follows() const override { return true; }
  std::vector<double> memory() const override;
  void restore(const std::vector<double>& memory) override;
  /// Σ V [ψ(E) + Σ W_i]: a branch stores the work done on it minus the dissipation of its dashpot. Exact for small
  /// strains, where W_i = γ/2 (S − T_i) : C⁻¹ (S − T_i), and at any strain for a branch that is loaded suddenly or has
  /// relaxed.
  double stored_energy(const State& u) const override;
  /// Σ V Σ 2 W_i/τ_i.
  double damping_power(const State& u) const override;

 private:
  ViscoelasticForce(const MeanShares& shares, const std::shared_ptr<ElementBatches>& former,
                    const std::vector<Viscosity>& viscosities);

  /// T(t) = own S(t) + before S + rest T, and (T(t) − T)/x = own_mean S(t) + before_mean S − rest_mean T.
  /// W(t) = kept W + taken × the work done on the branch.
  struct Filter {
    double own, before, rest;
    double own_mean, before_mean, rest_mean;
    double kept, taken;
  };
  enum class Ask { stored, power };

  /// The filters of the branches of all kinds of viscosity, in their order.
  std::vector<Filter> filters(double t) const;
  std::size_t number(std::size_t batch, std::size_t lane, std::size_t branch) const;
  void advance(const std::vector<Filter>& by, std::size_t batch, std::size_t branch, const double* now,
               const double* start, const double* kept, double* to) const;
  /// c and B at time t.
  std::shared_ptr<const double> at_points(double t) const override;
  void hold(double t, Vector& values) const;
  double account(const State& u, Ask ask) const;
  const ViscousKernel& kernel(const ElementBlock& block) const;
  template <class Visit>
  void for_all_batches(const Visit& visit) const;

  std::size_t most_ = 0;              // branches of the viscosity that has most
  std::vector<double> gamma_, time_;  // of the branches of each kind of viscosity, most_ each; γ = 0 where it has fewer
  std::vector<int> kind_at_;          // of each place
  bool begun_ = false;
  double since_ = 0;           // [s] start of the step
  PointStates past_;           // S, E, ψ, then T and W of each branch
  Memo<double, Vector> held_;  // c and B, in the same order, at a time
};

}  // namespace limber
