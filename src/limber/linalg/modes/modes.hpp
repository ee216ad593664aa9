#pragma once
/// The s lowest modes of K x = λ M x, K symmetric, M symmetric positive definite:  XᵀMX = I, λ ascending.

#include "limber/core/types.hpp"

namespace limber {

struct Modes {
  Vector lambda;  // #s [1/s²]
  Matrix X;       // #n × s, M-orthonormal
};

/// Where several processes share the unknowns: who seeks modes. Each process those of the whole, or all together;
/// automatic: the latter for many unknowns.
enum class ModeSearch { automatic, together, each };

/// Block Lanczos on (K − σM)⁻¹M with a small shift σ < 0, for which K − σM is positive definite although free bodies
/// have λ = 0. One factorisation serves, or two if λ < 0. Repeated eigenvalues come with their multiplicity.
/// Dense for small n. Parts that neither K nor M couples are searched each for itself, and each mode is of one part.
/// K, M: lower triangles. Throws InputError("modes", …) if s < 1 or s > n, StepFailure if M or the
/// shifted K is not positive definite or the iteration does not converge.
Modes lowest_modes(const SparseMatrix& K, const SparseMatrix& M, int s);

/// `rigid`: #n × k candidates for null vectors (translations and rotations of free bodies). Those that K takes to 0 up
/// to rounding are modes exactly: λ = 0, spanned by the given columns, in their order in each part. All others are
/// found M-orthogonal to them; of these too λ is 0 where it is but the rounding of K.
/// `positions` as of UnknownNodes: where a factor would be too large to be kept (1e9 entries), (K − σM)⁻¹ is
/// applied by conjugate gradients with multigrid.
Modes lowest_modes(const SparseMatrix& K, const SparseMatrix& M, int s, const Matrix& rigid,
                   const Vector* positions = nullptr);

/// The s lowest modes, or as many more as it takes not to cut a cluster: neighbours that differ by less than 1e-6, or
/// are both noise about 0 (the rigid modes are one cluster, given or not).
Modes whole_modes(const SparseMatrix& K, const SparseMatrix& M, int s, const Matrix& rigid);

}  // namespace limber
