#pragma once
/// The vectors and matrices of the whole program: double precision, column-major.

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace limber {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Mat12 = Eigen::Matrix<double, 12, 12>;
/// Compressed columns. Symmetric matrices store their lower triangle; entries above the diagonal may be
/// present inside 3×3 diagonal blocks and are ignored.
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

}  // namespace limber
