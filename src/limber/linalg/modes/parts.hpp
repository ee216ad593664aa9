#pragma once
/// A system K x = λ M x that falls into parts which neither K nor M couples: bodies that nothing attaches to each
/// other.

#include <vector>

#include "limber/core/types.hpp"

namespace limber {

/// The parts, each as its unknowns in ascending order, by their first unknowns. Stored zeros couple nothing; a column
/// of `joining` (#n × k) joins the unknowns where it is not 0. K, M: lower triangles.
std::vector<std::vector<int>> uncoupled_parts(const SparseMatrix& K, const SparseMatrix& M, const Matrix& joining);

/// For each column of X the part outside which it vanishes; −1 if there is none.
std::vector<int> parts_of_columns(const std::vector<std::vector<int>>& parts, const Matrix& X);

/// A problem of its own for the modes of one part.
struct ModeProblem {
  SparseMatrix K, M;  // lower triangles, without stored zeros
  Matrix rigid;       // of the given columns those that belong to the part
};

/// One for each part.
std::vector<ModeProblem> part_problems(const std::vector<std::vector<int>>& parts, const SparseMatrix& K,
                                       const SparseMatrix& M, const Matrix& rigid);

}  // namespace limber
