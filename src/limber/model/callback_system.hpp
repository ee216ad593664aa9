#pragma once
/// M q̈ = f(q, v, t) given by functions: a system of any size without nodes or a mesh. K and D may be given; otherwise
/// they are differences of f (fourth order, dense).

#include <functional>
#include <memory>

#include "limber/linalg/linear_solver.hpp"
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

  Index size() const override { return mass_.rows(); }
  bool symmetric() const override { return false; }
  bool velocity_dependent() const override { return true; }
  const SparseMatrix& mass() const override { return mass_; }
  Vector apply_mass(const Vector& x) const override { return mass_ * x; }
  Vector solve_mass(const Vector& f) const override;
  Vector force(const State& u) const override;
  void tangent(const State& u, Definiteness, Tangent& T) const override;

 private:
  enum class With { positions, velocities };
  SparseMatrix difference(const State& u, With respect) const;

  Functions functions_;
  mutable SparseMatrix mass_;  // its pattern grows to hold every tangent met so far
  std::unique_ptr<LinearSolver> solver_;
  SparseMatrix solver_mass_;
};

}  // namespace limber
