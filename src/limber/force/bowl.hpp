#pragma once
/// Every node in a bowl:  W = k/4 Σ |x|⁴.

#include "limber/model/force.hpp"

namespace limber {

class Bowl final : public Force {
 public:
  explicit Bowl(double k) : k_(k) {}  // [N/m³]

  ForceTraits traits() const override { return {}; }
  void add_couplings(Couplings&) const override {}
  void add_force(const State& u, Vector& f) const override;
  void add_tangent(const State& u, TangentBuilder& T) const override;
  std::optional<Potentials> potentials(const State& u) const override;

 private:
  double k_;
};

}  // namespace limber
