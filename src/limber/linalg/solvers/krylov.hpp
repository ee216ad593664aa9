#pragma once
/// Krylov methods from x = 0: conjugate gradients for a symmetric positive definite A; for a general A, GMRES with
/// right preconditioning, restarted after 40 to 400 iterations; M may differ from iteration to iteration. Both stop at
/// ‖r‖ ≤ tolerance ‖b‖ (2-norms).

#include <functional>
#include <vector>

#include "limber/linalg/row_matrix.hpp"

namespace limber {

class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  /// z ≈ A⁻¹r; returns rᵀz.
  virtual double apply(const Vector& r, Vector& z) = 0;
};

/// The inverse of A's diagonal blocks, which must have been computed by `A.invert_diagonal`.
class DiagonalPreconditioner final : public Preconditioner {
 public:
  explicit DiagonalPreconditioner(const RowMatrix& A) : A_(A) {}
  double apply(const Vector& r, Vector& z) override { return A_.apply_inverse_diagonal(r.data(), z.data()); }

 private:
  const RowMatrix& A_;
};

struct KrylovLimits {
  double tolerance = 1e-8;
  int max_iterations = 1000;
  /// A bound on ‖A − rounded A‖₂, from A.round(). Conjugate gradients multiply by the rounded A; the residual is
  /// checked with A itself, which takes over if the rounded one is too coarse. 0: A is not rounded.
  double rounding = 0;
  /// Called after each iteration: whether to continue if at least `predicted` iterations in all seem necessary.
  std::function<bool(int done, double predicted)> go_on = {};
};

struct KrylovResult {
  enum class End { converged, indefinite, stopped } end = End::stopped;
  int iterations = 0;
  double residual = 1;   // ‖b − A x‖ / ‖b‖ from the recursion
  double predicted = 0;  // total iterations expected from the mean rate so far; = iterations when converged

  SolveReport report() const {
    using Status = SolveReport::Status;
    const Status status = end == End::converged    ? Status::ok
                          : end == End::indefinite ? Status::indefinite
                                                   : Status::not_converged;
    return {status, iterations, residual};
  }
};

struct KrylovWork {  // retained between solves
  Vector r, z, p, q;
  std::vector<Vector> basis, preconditioned;
};

KrylovResult pcg(const RowMatrix& A, Preconditioner& M, const Vector& b, Vector& x, const KrylovLimits& limits,
                 KrylovWork& work);
KrylovResult gmres(const LinearMap& A, Preconditioner& M, const Vector& b, Vector& x, const KrylovLimits& limits,
                   KrylovWork& work);

}  // namespace limber
