#pragma once
/// The exponential Rosenbrock-Euler motion (eqERE):  u + h φ₁(hJ) F(u), J = ∂F/∂u with t among the coordinates, so that
/// loads and scripts that change in time keep order 2. It is the exact solution after h of
///
///     M d̈ + D ḋ + K d = f + t ∂f/∂t,   d(0) = 0, ḋ(0) = v.

#include <memory>

#include "limber/linalg/exponential/phi1.hpp"
#include "limber/linalg/pattern.hpp"
#include "limber/linalg/row_matrix.hpp"
#include "limber/model/system.hpp"

namespace limber {

struct ExponentialCounts {
  long products = 0, substeps = 0;
};

class Exponential {
 public:
  explicit Exponential(double tolerance) { options_.tolerance = tolerance; }

  /// Dense for small systems; Lanczos on (K, M) without damping or if D = αK + βM; Arnoldi on (d, ḋ) otherwise. Throws
  /// StepFailure if the tolerance is not reached. On several processes, products with K, D and M are distributed, and
  /// vectors are complete on each.
  State advance(System& system, const State& u, double h);
  ExponentialCounts counts() const { return counts_; }
  /// Frees the matrices of the last step.
  void forget() {
    at_ = {};
    pattern_ = {};
    stiffness_.reset();
    damping_.reset();
  }

 private:
  State dense(System& system, const Vector& f_t, double h) const;
  State by_lanczos(System& system, const Vector& f_t, double h, double alpha, double beta);
  State by_arnoldi(System& system, const Vector& f_t, double h);
  void count(const Phi1Report& report);

  Phi1Options options_;
  ExponentialCounts counts_;
  Linearization at_;  // the linearisation at the start of the step
  Pattern pattern_;
  std::unique_ptr<RowMatrix> stiffness_, damping_;
};

}  // namespace limber
