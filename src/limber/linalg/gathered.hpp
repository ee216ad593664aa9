#pragma once  // internal
/// Matrices that several processes have parts of, whole on each of them: for what is small, or cannot be divided. All
/// processes get the same bits.

#include <vector>

#include "limber/core/space.hpp"
#include "limber/core/types.hpp"
#include "limber/linalg/solve_report.hpp"

namespace limber {

using Entry = Eigen::Triplet<double, int>;

/// The sum of what all processes have of an n × n matrix.
SparseMatrix gather_entries(const Communicator& all, Index n, const std::vector<Entry>& own);
/// The sum of the parts A, in the order of Space::whole. A symmetric matrix has its lower triangle.
SparseMatrix gather_matrix(const Space& space, const SparseMatrix& A, Symmetry symmetry);

/// The rows of all unknowns, and of them those that this process holds.
Matrix gather_rows(const Space& space, const Matrix& held);
Matrix held_rows(const Space& space, const Matrix& all);

/// The rows held here, each as the process has it that answers for its node: sums that were taken in other orders may
/// differ in the last bits.
Matrix as_owners_have(const Space& space, Matrix held);

/// Of a symmetric matrix, in its lower triangle.
inline Entry lower_entry(int row, int column, double value) {
  return row >= column ? Entry(row, column, value) : Entry(column, row, value);
}

}  // namespace limber
