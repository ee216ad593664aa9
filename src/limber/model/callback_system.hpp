#pragma once
/// M q̈ = f(q, v, t) given by functions: a system of any size without nodes or a mesh. K and D may be given; otherwise
/// they are fourth-order differences of f (dense). The difference steps are found by probing the length on which f
/// curves, so units do not matter.

#include <functional>
#include <vector>

#include "limber/model/system.hpp"

namespace limber {

class CallbackSystem final : public System {
 public:
  struct Functions {
    std::function<Vector(const State&)> force;
    std::function<SparseMatrix(const State&)> stiffness = {};  // K = −∂f/∂q, all entries
    std::function<SparseMatrix(const State&)> damping = {};    // D = −∂f/∂v, all entries
  };
  /// M: all entries. Throws InputError if it is not square.
  CallbackSystem(const SparseMatrix& M, Functions functions);
  /// Sets SystemTraits::length_scale; 1 by default.
  void set_length_scale(double length) { length_scale_ = length; }

  SystemTraits traits() const override {
    return {
        .size = mass_.matrix().rows(), .symmetric = false, .velocity_dependent = true, .length_scale = length_scale_};
  }
  const MassMatrix& inertia() const override { return mass_; }
  Vector force(const State& u) const override;
  Vector linearize(const State& u, Definiteness, Tangent& T) override;

 private:
  enum class With { positions, velocities };
  SparseMatrix difference(const State& u, With respect);

  Functions functions_;
  MassMatrix mass_;  // its pattern grows to hold every tangent so far
  double length_scale_ = 1;
  std::vector<double> steps_[2];  // last difference step of each unknown; empty: not determined yet
};

}  // namespace limber
