#pragma once
/// The test equation q̈ + d q̇ + ω² q = 0 (testn) as a system, with m = 1.

#include "limber/model/system.hpp"

namespace limber {

class Oscillator final : public System {
 public:
  explicit Oscillator(double omega, double damping = 0);

  SystemTraits traits() const override { return {.size = 1, .velocity_dependent = d_ != 0, .time_dependent = false}; }
  const MassMatrix& inertia() const override { return M_; }
  Vector force(const State& u) const override { return -k_ * u.q - d_ * u.v; }
  Vector linearize(const State& u, Definiteness, Tangent& T) override;

 private:
  double k_, d_;
  MassMatrix M_;
};

}  // namespace limber
