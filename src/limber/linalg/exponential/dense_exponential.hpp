#pragma once  // internal
/// e^A of a small dense matrix: diagonal similarity, Padé's approximant of degree 13, scaling and squaring. The scaling
/// follows from the norms of A's powers, which for matrices far from normal are much smaller than the powers of the
/// norm.

#include "limber/core/types.hpp"

namespace limber {

/// A = D Â D⁻¹ with powers of two that make the norms of each row and column of Â beside the diagonal similar; those
/// below 1 count as 1, since an exponential gains nothing from smaller ones. Returns the diagonal of D.
Vector balance(Matrix& A);

/// More squarings than needed change the result by its rounding error only, which can be seen that way.
Matrix dense_exponential(const Matrix& A, int extra_squarings = 0);

}  // namespace limber
