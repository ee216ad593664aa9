#pragma once
/// The s lowest modes of K x = λ M x, K symmetric, M symmetric positive definite:  XᵀMX = I, λ ascending.

#include "limber/core/types.hpp"

namespace limber {

struct Modes {
  Vector lambda;  // #s [1/s²]
  Matrix X;       // #n × s, M-orthonormal
};

/// Who searches for modes if several processes share the unknowns. each: each process searches the whole system;
/// together: all processes share one search; automatic: together for many unknowns.
enum class ModeSearch { automatic, together, each };

/// Block Lanczos on (K − σM)⁻¹M with a small shift σ < 0, for which K − σM is positive definite although free bodies
/// have λ = 0. Needs one factorisation, or two if some λ < 0. Repeated eigenvalues are found with their multiplicity.
/// Dense for small n. Parts coupled by neither K nor M are searched separately, and each mode belongs to one part. K,
/// M: lower triangles. Throws InputError("modes", …) if s < 1 or s > n, StepFailure if M or the shifted K is not
/// positive definite or the iteration does not converge.
Modes lowest_modes(const SparseMatrix& K, const SparseMatrix& M, int s);

/// `rigid`: #n × k candidates for null vectors (translations and rotations of free bodies). Those that K maps to 0 up
/// to rounding are taken as exact modes: λ = 0, spanned by the given columns, in their order in each part. All other
/// modes are M-orthogonal to them; their λ is also set to 0 if it is within the rounding error of K. `positions`: see
/// UnknownNodes. If a factor would be too large (1e9 entries), (K − σM)⁻¹ is applied by conjugate gradients with
/// multigrid.
Modes lowest_modes(const SparseMatrix& K, const SparseMatrix& M, int s, const Matrix& rigid,
                   const Vector* positions = nullptr);

/// The s lowest modes, or as many more as are needed to avoid splitting a cluster: neighbours that differ by less than
/// 1e-6 or are both noise about 0 (the rigid modes are one cluster, given or not).
Modes whole_modes(const SparseMatrix& K, const SparseMatrix& M, int s, const Matrix& rigid);

}  // namespace limber
