#pragma once
/// The force f = −∂W/∂q of the elements of one body, W = Σ V ψ over their quadrature points and a part that acts on
/// means: one loop for every law that holds at a point. Elements may be shared by several forces; what points have that
/// is constant while nodes move, such as stresses of the past, comes from `at_points`.

#include <memory>
#include <span>
#include <vector>

#include "limber/material/catalog.hpp"
#include "limber/mesh/element_mesh.hpp"
#include "limber/model/force.hpp"

namespace limber {

class ElementBatches;
class ElementKernel;
class MeanEnergy;
struct ElementParts;

/// The parts of the energy that act on means, so that nearly incompressible bodies do not lock (force/mean_energy.hpp).
struct MeanParts {
  std::vector<double> bulk;  // #materials, or empty: the part of λ [Pa] moved from each (`softened`) to the means
  std::vector<int> group;    // #materials: means are taken over elements of one group
};

class ElementForce : public Force {
 public:
  ~ElementForce() override;

  void add_couplings(Couplings& pairs) const override;
  void bind(const BlockPattern& pattern, std::span<const int> free_index) override;
  void add_force(const State& u, Vector& f) const override;
  /// Exact, or with dP/dF projected at each point. Call bind first.
  void add_tangent(const State& u, TangentBuilder& T) const override;
  void linearize(const State& u, Vector& f, TangentBuilder& T) const override;
  std::optional<Potentials> potentials(const State& u) const override;
  /// Keeps det F > 0 for materials that need it: nine tenths of the way to the first inversion, if there is one.
  double max_step(const Vector& q, const Vector& dq, double t0 = 0, double t1 = 0) const override;

  /// For another force of the same body.
  const std::shared_ptr<ElementBatches>& shared_elements() const { return elements_; }
  bool shares_elements_with(const ElementForce& other) const { return elements_ == other.elements_; }

 protected:
  explicit ElementForce(ElementParts parts);  // force/element_groups.hpp

  /// What the kernels read at points at time t (`held` in force/element_kernel.hpp); null: nothing.
  virtual std::shared_ptr<const double> at_points(double /*t*/) const { return nullptr; }

  const ElementBatches& elements() const { return *elements_; }
  /// Of each group of elements.
  const std::vector<std::unique_ptr<ElementKernel>>& kernels() const { return kernels_; }
  const MeanEnergy* means() const { return means_.get(); }  // null: there is none

 private:
  void add_linearization(const State& u, double* f, TangentBuilder& T) const;

  std::shared_ptr<ElementBatches> elements_;
  std::vector<std::unique_ptr<ElementKernel>> kernels_;
  std::unique_ptr<MeanEnergy> means_;
};

}  // namespace limber
