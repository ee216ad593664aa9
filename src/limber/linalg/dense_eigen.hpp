#pragma once
/// Eigenvalues of small dense symmetric matrices: A y = λ y, and A y = λ B y with YᵀBY = I. Compiled once.

#include "limber/core/types.hpp"

namespace limber {

struct DenseEigen {
  Vector values;   // ascending
  Matrix vectors;  // columns
};

/// Only lower triangles are read. Both throw StepFailure if the iteration fails or an entry is not finite.
DenseEigen symmetric_eigen(const Matrix& A);
DenseEigen generalized_eigen(const Matrix& A, const Matrix& B);

}  // namespace limber
