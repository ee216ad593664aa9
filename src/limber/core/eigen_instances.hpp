#pragma once  // internal
/// Explicit instances of Eigen's dense kernels and decompositions, compiled once in eigen_instances.cpp instead of in
/// every file that uses them. Included only by the build's precompiled headers, to shorten the build; it changes
/// nothing else. It names internals of Eigen 3.4; with another version each file compiles its own.

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SparseCore>

#include "limber/core/types.hpp"

#if EIGEN_WORLD_VERSION == 3 && EIGEN_MAJOR_VERSION == 4
namespace Eigen::internal {
using LimberTraits = gebp_traits<double, double>;
using LimberPacket = LimberTraits::LhsPacket4Packing;
using LimberColumns = const_blas_data_mapper<double, Index, ColMajor>;
using LimberRows = const_blas_data_mapper<double, Index, RowMajor>;
using LimberResult = blas_data_mapper<double, Index, ColMajor>;
}  // namespace Eigen::internal

// clang-format off
// NOLINTBEGIN(bugprone-macro-parentheses)
#define LIMBER_EIGEN_INSTANCES(KIND)                                                                                   \
  namespace Eigen::internal {                                                                                          \
  KIND template struct gebp_kernel<double, double, Index, LimberResult, LimberTraits::mr, LimberTraits::nr, false, false>; \
  KIND template struct gemm_pack_lhs<double, Index, LimberColumns, LimberTraits::mr, LimberTraits::LhsProgress, LimberPacket, ColMajor>; \
  KIND template struct gemm_pack_lhs<double, Index, LimberRows, LimberTraits::mr, LimberTraits::LhsProgress, LimberPacket, RowMajor>; \
  KIND template struct gemm_pack_rhs<double, Index, LimberColumns, LimberTraits::nr, ColMajor>;                        \
  KIND template struct general_matrix_vector_product<Index, double, LimberColumns, ColMajor, false, double, LimberRows, false>; \
  KIND template struct general_matrix_vector_product<Index, double, LimberRows, RowMajor, false, double, LimberColumns, false>; \
  KIND template struct triangular_solve_matrix<double, Index, OnTheLeft, UnitLower, false, ColMajor, ColMajor, 1>;     \
  KIND template struct triangular_solve_matrix<double, Index, OnTheLeft, Upper, false, ColMajor, ColMajor, 1>;         \
  KIND template void tridiagonalization_inplace(MatrixXd&, VectorXd&, VectorXd&, VectorXd&, bool);                     \
  KIND template ComputationInfo computeFromTridiagonal_impl(VectorXd&, VectorXd&, const Index, bool, MatrixXd&);       \
  KIND template void assign_sparse_to_sparse(SparseMatrix<double>&, const SparseMatrix<double>&);                      \
  }                                                                                                                    \
  namespace Eigen {                                                                                                    \
  KIND template SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(const EigenBase<MatrixXd>&, int); \
  KIND template GeneralizedSelfAdjointEigenSolver<MatrixXd>& GeneralizedSelfAdjointEigenSolver<MatrixXd>::compute(     \
      const MatrixXd&, const MatrixXd&, int);                                                                          \
  KIND template EigenSolver<MatrixXd>& EigenSolver<MatrixXd>::compute(const EigenBase<MatrixXd>&, bool);               \
  KIND template void PartialPivLU<MatrixXd>::compute();                                                                \
  }
// NOLINTEND(bugprone-macro-parentheses)
// clang-format on
#else
#define LIMBER_EIGEN_INSTANCES(KIND)
#endif

LIMBER_EIGEN_INSTANCES(extern)
