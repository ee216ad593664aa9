#pragma once  // internal
/// Distributed matrices gathered as a whole on each process, for small or indivisible problems. All processes get the
/// same bits.

#include <vector>

#include "limber/core/space.hpp"
#include "limber/core/types.hpp"
#include "limber/linalg/solve_report.hpp"

namespace limber {

using Entry = Eigen::Triplet<double, int>;

/// The sum of all processes' entries of an n × n matrix.
SparseMatrix gather_entries(const Communicator& all, Index n, const std::vector<Entry>& own);
/// The sum of all processes' matrices A, in the order of Space::allgather. A symmetric matrix has its lower triangle.
SparseMatrix gather_matrix(const Space& space, const SparseMatrix& A, Symmetry symmetry);

/// gather_rows: the rows of all unknowns from the rows held by each process. held_rows: the rows held here.
Matrix gather_rows(const Space& space, const Matrix& held);
Matrix held_rows(const Space& space, const Matrix& all);

/// The rows held here, with the bits of the process that owns each node: sums taken in different orders may differ in
/// the last bits.
Matrix as_owners_have(const Space& space, Matrix held);

/// An entry of a symmetric matrix, placed in its lower triangle.
inline Entry lower_entry(int row, int column, double value) {
  return row >= column ? Entry(row, column, value) : Entry(column, row, value);
}

}  // namespace limber
