#include "limber/time/modal/reduction.hpp"

#include "limber/time/stage_matrix.hpp"

namespace limber {
namespace {

constexpr double null_rounding = 1e-11;  // of K x relative to |K| |x|

}  // namespace

ReducedTangent ModalReduction::operator()(System& system, const Tangent& T, const ModalBasis& basis, Matrix& KX) {
  const Matrix& X = basis.X;
  if (X.cols() == 0) {
    KX = X;
    return {Matrix(0, 0), Matrix(0, 0), {}};
  }
  const Space& space = system.space();
  if (!space.all(pattern_.take(T.K) == PatternChange::same))
    rows_ = make_row_matrix(T.K, system.symmetric() ? Symmetry::symmetric : Symmetry::general, space);
  rows_->refresh(T.K);
  KX = rows_->multiply_block(X);
  T.low_rank.add_product(X, KX);
  ReducedTangent reduced{basis.product(X, KX), Matrix::Zero(X.cols(), X.cols()), {}};
  if (system.velocity_dependent()) {
    Matrix DX(X.rows(), X.cols());
    for (Index i = 0; i < X.cols(); ++i) DX.col(i) = multiply(system, T.D, X.col(i));
    reduced.D = space.inner(X, DX);
  }
  // Rounding would otherwise exchange momentum between rigid motions and the other modes.
  if ((basis.lambda.array() != 0).all()) return reduced;
  Vector diagonal = T.K.diagonal();
  space.add_up(diagonal);
  const double size = space.max_abs(diagonal);
  for (Index i = 0; i < X.cols(); ++i)
    if (basis.lambda[i] == 0 && space.norm(KX.col(i)) <= null_rounding * size * space.norm(X.col(i))) {
      reduced.K.col(i).setZero();
      reduced.K.row(i).setZero();
      reduced.null.push_back(i);
    }
  return reduced;
}

}  // namespace limber
