#include "limber/linalg/dense_eigen.hpp"

#include <Eigen/Eigenvalues>

#include "limber/linalg/modes_not_found.hpp"

namespace limber {
namespace {

template <class Solver>
DenseEigen checked(const Solver& solver) {
  if (solver.info() != Eigen::Success || !solver.eigenvalues().allFinite())
    throw ModesNotFound("the projected eigenvalue problem failed");
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace

DenseEigen symmetric_eigen(const Matrix& A) { return checked(Eigen::SelfAdjointEigenSolver<Matrix>(A)); }

DenseEigen generalized_eigen(const Matrix& A, const Matrix& B) {
  return checked(Eigen::GeneralizedSelfAdjointEigenSolver<Matrix>(A, B));
}

}  // namespace limber
