#pragma once  // internal
/// The sum of the matrices of all processes' own elements as a PETSc matrix, in which each process has the rows of the
/// nodes it owns. Contributions of other processes to these rows are sent to it and added in the order of the
/// processes. Include only in files compiled with LIMBER_HAS_PETSC.

#include <vector>

#include "limber/core/space.hpp"
#include "limber/linalg/solve_report.hpp"
#include "limber/linalg/solvers/petsc_support.hpp"

namespace limber {

class DistributedMatrix {
 public:
  DistributedMatrix(const Space& space, Symmetry symmetry) : space_(space), symmetry_(symmetry) {}

  /// Sets new values, possibly on a new pattern of 3×3 blocks; returns whether the pattern is new on some process.
  /// Throws InputError("method.solver", …) for matrices without such blocks.
  bool take(const SparseMatrix& A);
  Mat matrix() const { return matrix_; }

  /// Copies the owned part of a consistent vector to PETSc, and back.
  void to_petsc(const Vector& x, Vec out) const;
  void from_petsc(Vec in, Vector& x) const;

 private:
  using Pair = std::pair<int, int>;  // block row and column in the global numbering
  /// Destination of a block: entry (r, c) goes to `first` + r · width + c of the values.
  struct Place {
    std::int64_t first;
    int width;    // < 0: sent to another process, at `first`
    bool beside;  // in columns owned by other processes
  };
  struct Neighbour {
    int process = 0;
    std::vector<double> out, in;
    std::vector<Place> places;  // of incoming blocks
  };

  bool is_own(int k) const { return k >= first_ && k < first_ + own_; }
  void number(Index unknowns);
  void make(const SparseMatrix& A);
  void fill(const SparseMatrix& A);
  /// The process that owns a row.
  std::size_t owner(int row) const;
  /// Sends other processes the pairs of their rows; returns the incoming pairs, by process.
  std::vector<std::vector<Pair>> exchanged(const std::vector<std::vector<Pair>>& out) const;

  Space space_;
  Symmetry symmetry_;
  SparseMatrix pattern_;
  std::vector<int> number_;    // of each node held here
  std::vector<int> first_of_;  // first row of each process
  int first_ = 0, own_ = 0, nodes_ = 0;
  std::vector<Place> places_, mirrored_;  // of each block of A, and of its transpose
  std::vector<Neighbour> neighbours_;     // one per process
  PetscOwned<Mat, MatDestroy> matrix_;
};

}  // namespace limber
