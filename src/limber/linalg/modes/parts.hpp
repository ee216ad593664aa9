#pragma once
/// Splits K x = λ M x into parts coupled by neither K nor M: bodies not attached to each other.

#include <vector>

#include "limber/core/types.hpp"

namespace limber {

/// The parts, ordered by their first unknowns, each with its unknowns in ascending order. Stored zeros do not couple; a
/// column of `joining` (#n × k) joins the unknowns at which it is nonzero. K, M: lower triangles.
std::vector<std::vector<int>> uncoupled_parts(const SparseMatrix& K, const SparseMatrix& M, const Matrix& joining);

/// For each column of X: the part outside which it vanishes, −1 if there is none.
std::vector<int> parts_of_columns(const std::vector<std::vector<int>>& parts, const Matrix& X);

/// The eigenvalue problem of one part.
struct ModeProblem {
  SparseMatrix K, M;  // lower triangles, without stored zeros
  Matrix rigid;       // the given columns that belong to the part
};

/// The problem of each part.
std::vector<ModeProblem> part_problems(const std::vector<std::vector<int>>& parts, const SparseMatrix& K,
                                       const SparseMatrix& M, const Matrix& rigid);

}  // namespace limber
