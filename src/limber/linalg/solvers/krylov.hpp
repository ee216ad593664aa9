#pragma once
/// Krylov methods from x = 0: conjugate gradients for a symmetric positive definite A, and GMRES, preconditioned from
/// the right and started again after 40 to 400 iterations, for a general one. Both stop at ‖r‖ ≤ tolerance ‖b‖
/// (2-norms).

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

/// The inverse of A's diagonal blocks, which `A.invert_diagonal` has made and kept.
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
  /// A bound of ‖A − rounded A‖₂, from A.round(): conjugate gradients multiply by the rounded A, and A itself judges
  /// the answer, and takes over, where that is too coarse. 0: A is not rounded.
  double rounding = 0;
  /// Asked after each iteration: is it worth going on, when `predicted` iterations in all (at least) seem needed?
  std::function<bool(int done, double predicted)> go_on = {};
};

struct KrylovResult {
  enum class End { converged, indefinite, stopped } end = End::stopped;
  int iterations = 0;
  double residual = 1;   // ‖b − A x‖ / ‖b‖ of the recursion
  double predicted = 0;  // iterations needed in all, from the mean rate so far; = iterations when converged

  SolveReport report() const {
    using Status = SolveReport::Status;
    const Status status = end == End::converged    ? Status::ok
                          : end == End::indefinite ? Status::indefinite
                                                   : Status::not_converged;
    return {status, iterations, residual};
  }
};

struct KrylovWork {  // kept between solves
  Vector r, z, p, q;
  std::vector<Vector> basis, preconditioned;
};

KrylovResult pcg(const RowMatrix& A, Preconditioner& M, const Vector& b, Vector& x, const KrylovLimits& limits,
                 KrylovWork& work);
KrylovResult gmres(const RowMatrix& A, Preconditioner& M, const Vector& b, Vector& x, const KrylovLimits& limits,
                   KrylovWork& work);

}  // namespace limber
