#pragma once
/// The s lowest modes of K x = λ M x, K symmetric, M symmetric positive definite:  XᵀMX = I, λ ascending.

#include "limber/core/types.hpp"

namespace limber {

struct Modes {
  Vector lambda;  // #s [1/s²]
  Matrix X;       // #n × s, M-orthonormal
};

/// Block Lanczos on (K − σM)⁻¹M with a small shift σ < 0, for which K − σM is positive definite although free bodies
/// have λ = 0. One factorisation serves. Repeated eigenvalues come with their multiplicity: a block carries several
/// copies, and what is found is accepted only when a fresh random block, made orthogonal to it, finds nothing lower.
/// Dense for small n. K, M: lower triangles. Throws InputError("modes", …) if s < 1 or s > n, StepFailure if M or the
/// shifted K is not positive definite or the iteration does not converge.
Modes lowest_modes(const SparseMatrix& K, const SparseMatrix& M, int s);

}  // namespace limber
