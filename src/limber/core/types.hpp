#pragma once
/// The vector and matrix types of the whole program: double precision, column-major.

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstddef>

#if defined(LIMBER_KEEPS_VECTORS) && EIGEN_WORLD_VERSION == 3 && EIGEN_MAJOR_VERSION == 4
/// Steps allocate and free vectors of the same few lengths again and again, so memory of long vectors is cached by
/// length (vector_memory.cpp). Programs that use the installed library allocate with malloc instead: they may have made
/// vectors before including this header, and with another version of Eigen.
namespace Eigen::internal {
template <>
double* conditional_aligned_new_auto<double, true>(std::size_t n);
template <>
void conditional_aligned_delete_auto<double, true>(double* p, std::size_t n);
}  // namespace Eigen::internal
#endif

namespace limber {

// Memory allocated on one side is freed on the other. limber::limber passes these definitions on.
static_assert(EIGEN_MAX_ALIGN_BYTES == 64 && EIGEN_MAX_STATIC_ALIGN_BYTES == 16,
              "Limber was compiled with EIGEN_MAX_ALIGN_BYTES=64 and EIGEN_MAX_STATIC_ALIGN_BYTES=16: define them too");

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
