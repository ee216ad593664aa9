#pragma once
/// The s lowest modes of K x = λ M x, K symmetric, M symmetric positive definite:  XᵀMX = I, λ ascending.

#include "limber/core/types.hpp"

namespace limber {

struct Modes {
  Vector lambda;  // #s [1/s²]
  Matrix X;       // #n × s, M-orthonormal
};

/// Shift-invert Lanczos with a small negative shift; repeated eigenvalues come with their multiplicity (checked by
/// inertia); dense for small n. K, M: lower triangles. Throws InputError("modes", …) if s < 1 or s > n, StepFailure if
/// the iteration does not converge.
Modes lowest_modes(const SparseMatrix& K, const SparseMatrix& M, int s);

}  // namespace limber
