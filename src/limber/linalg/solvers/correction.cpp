#include "limber/linalg/solvers/correction.hpp"

namespace limber {

void Correction::add_product(const Eigen::Ref<const Vector>& x, Eigen::Ref<Vector> y, const Space& space) const {
  if (!space.shared()) {
    if (U.cols() > 0) y.noalias() -= U * (C * (U.transpose() * x));
    if (N.nonZeros() > 0) y.noalias() += N * x;
    return;
  }
  if (U.cols() > 0) y.noalias() -= U * (C * space.inner(U, x));
  if (space.max(static_cast<double>(N.nonZeros())) > 0) {
    Vector part = N.nonZeros() > 0 ? Vector(N * x) : Vector::Zero(x.size());
    space.add_up(part);
    y += part;
  }
}

void CorrectedMap::multiply(const double* x, double* y) const {
  A_.multiply(x, y);
  correction_.add_product(Eigen::Map<const Vector>(x, size()), Eigen::Map<Vector>(y, size()), space());
}

}  // namespace limber
