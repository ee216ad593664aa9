#pragma once  // internal
/// The sum of the matrices that processes have of their own elements, as a matrix of PETSc: each process has the rows
/// of the nodes that it answers for. What others have in these rows is sent to it, and added in the order of the
/// processes. Only files that are compiled with LIMBER_HAS_PETSC include this.

#include <vector>

#include "limber/core/space.hpp"
#include "limber/linalg/solve_report.hpp"
#include "limber/linalg/solvers/petsc_support.hpp"

namespace limber {

class DistributedMatrix {
 public:
  DistributedMatrix(const Space& space, Symmetry symmetry) : space_(space), symmetry_(symmetry) {}

  /// New values, or a new pattern of 3×3 blocks; whether it is a new one on some process. Throws
  /// InputError("method.solver", …) for matrices that have no such blocks.
  bool take(const SparseMatrix& A);
  Mat matrix() const { return matrix_; }

  /// Of a consistent vector, what this process answers for; and back.
  void to_petsc(const Vector& x, Vec out) const;
  void from_petsc(Vec in, Vector& x) const;

 private:
  using Pair = std::pair<int, int>;  // block row and column, as all processes number them
  /// Where a block goes: entry (r, c) to `first` + r · width + c of the values of a part of the rows.
  struct Place {
    std::int64_t first;
    int width;    // < 0: among the blocks for other processes, at `first`
    bool beside;  // of columns that other processes answer for
  };
  struct Neighbour {
    int process = 0;
    std::vector<double> out, in;
    std::vector<Place> places;  // of what comes in
  };

  bool is_own(int k) const { return k >= first_ && k < first_ + own_; }
  void number(Index unknowns);
  void make(const SparseMatrix& A);
  void fill(const SparseMatrix& A);
  /// The process that answers for a row.
  std::size_t owner(int row) const;
  /// Sends other processes the pairs of their rows; what comes, by process.
  std::vector<std::vector<Pair>> exchanged(const std::vector<std::vector<Pair>>& out) const;

  Space space_;
  Symmetry symmetry_;
  SparseMatrix pattern_;
  std::vector<int> number_;    // of each node held here
  std::vector<int> first_of_;  // process: its first row
  int first_ = 0, own_ = 0, nodes_ = 0;
  std::vector<Place> places_, mirrored_;  // of each block of A, and of its mirror image
  std::vector<Neighbour> neighbours_;     // one for each process
  PetscOwned<Mat, MatDestroy> matrix_;
};

}  // namespace limber
