#pragma once  // internal
/// e^A of a small dense matrix by diagonal similarity, Padé approximation of degree 13, scaling and squaring. The
/// scaling is based on norms of A's powers, which for highly nonnormal matrices are much smaller than powers of its
/// norm.

#include "limber/core/types.hpp"

namespace limber {

/// A = D Â D⁻¹ with powers of two that make the off-diagonal norms of each row and column of Â similar. Norms below 1
/// count as 1, since smaller ones do not help. Returns the diagonal of D.
Vector balance(Matrix& A);

/// More squarings than necessary change the result by rounding error only, which can thus be measured.
Matrix dense_exponential(const Matrix& A, int extra_squarings = 0);

}  // namespace limber
