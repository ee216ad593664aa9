#pragma once
/// The test equation q̈ + d q̇ + ω² q = 0 (testn) as a system, with m = 1.

#include "limber/model/system.hpp"

namespace limber {

class Oscillator final : public System {
 public:
  explicit Oscillator(double omega, double damping = 0);

  Index size() const override { return 1; }
  bool symmetric() const override { return true; }
  bool velocity_dependent() const override { return d_ != 0; }
  bool time_dependent() const override { return false; }
  const SparseMatrix& mass() const override { return M_; }
  Vector apply_mass(const Vector& x) const override { return x; }
  Vector solve_mass(const Vector& f) const override { return f; }
  Vector force(const State& u) const override { return -k_ * u.q - d_ * u.v; }
  void tangent(const State&, Definiteness, Tangent& T) const override;

 private:
  double k_, d_;
  SparseMatrix M_;
};

}  // namespace limber
