#include "limber/time/modal/motion.hpp"

#include "limber/core/errors.hpp"
#include "limber/linalg/dense_eigen.hpp"
#include "limber/linalg/exponential/oscillator_response.hpp"
#include "limber/linalg/exponential/phi1.hpp"
#include "limber/time/as_step_failure.hpp"

namespace limber {
namespace {

constexpr double same_within = 1e-13;

bool nearly_equal(const Matrix& A, const Matrix& B, double scale) {
  return (A - B).cwiseAbs().maxCoeff() <= same_within * scale;  // local: reduced
}

Vector dense_motion(const Matrix& J, const Vector& g, double s) {
  return as_step_failure("the motion of the modes", [&] { return dense_phi1(J, g, s); });
}

}  // namespace

ModalMotion::ModalMotion(Matrix stiffness, Matrix damping, NegativeModes negative)
    : stiffness_(std::move(stiffness)), damping_(std::move(damping)) {
  if (stiffness_.size() == 0) return;
  if (!stiffness_.allFinite() || !damping_.allFinite())  // local: reduced
    throw StepFailure("the tangent is not finite");
  const double scale = stiffness_.cwiseAbs().maxCoeff();  // local: reduced
  const bool symmetric = nearly_equal(stiffness_, stiffness_.transpose(), scale);
  if (!symmetric && negative == NegativeModes::grow) return;
  const DenseEigen eigen = symmetric_eigen(.5 * (stiffness_ + stiffness_.transpose()));
  const Matrix& Y = eigen.vectors;
  Vector lambda = eigen.values;
  if (negative == NegativeModes::clamp && lambda[0] < 0) {
    const Vector raised = (-lambda).cwiseMax(0);
    lambda = lambda.cwiseMax(0);
    stiffness_ += Y * raised.asDiagonal() * Y.transpose();
  }
  const Matrix turned = Y.transpose() * damping_ * Y;
  const double largest = turned.cwiseAbs().maxCoeff();  // local: reduced
  if (!symmetric || !nearly_equal(turned, turned.diagonal().asDiagonal(), largest)) return;
  turn_ = Y;
  lambda_ = lambda;
  decay_ = turned.diagonal();
}

Matrix ModalMotion::jacobian() const {
  const Index m = stiffness_.cols();
  Matrix J = Matrix::Zero(2 * m, 2 * m);
  J.topRightCorner(m, m).setIdentity();
  J.bottomLeftCorner(m, m) = -stiffness_;
  J.bottomRightCorner(m, m) = -damping_;
  return J;
}

ModalChange ModalMotion::after(double s, const Vector& rate, const Vector& force) const {
  const Index m = rate.size();
  if (m == 0) return {rate, force};
  if (turn_.size() == 0) {
    Vector g(2 * m);
    g << rate, force;
    const Vector x = s * dense_motion(jacobian(), g, s);
    return {x.head(m), x.tail(m)};
  }
  const Vector b = turn_.transpose() * rate, f = turn_.transpose() * force;
  Vector da(m), db(m);
  for (Index i = 0; i < m; ++i) {
    const OscillatorResponse y = oscillator_response(lambda_[i], decay_[i], s);
    da[i] = (y.impulse + decay_[i] * y.step) * b[i] + y.step * f[i];
    db[i] = -lambda_[i] * y.step * b[i] + y.impulse * f[i];
  }
  return {turn_ * da, turn_ * db};
}

ModalChange ModalMotion::after_ramp(double s, const Vector& slope) const {
  const Index m = slope.size();
  if (m == 0) return {slope, slope};
  if (turn_.size() == 0) {  // φ₁ of [[J, c], [0, 0]] contains s φ₂(sJ) c in its last column
    Matrix J = Matrix::Zero(2 * m + 1, 2 * m + 1);
    J.topLeftCorner(2 * m, 2 * m) = jacobian();
    J.col(2 * m).segment(m, m) = slope;
    const Vector x = s * dense_motion(J, Vector::Unit(2 * m + 1, 2 * m), s);
    return {x.head(m), x.segment(m, m)};
  }
  Vector da = turn_.transpose() * slope, db = da;
  for (Index i = 0; i < m; ++i) {
    const OscillatorResponse y = oscillator_response(lambda_[i], decay_[i], s);
    da[i] *= y.ramp;
    db[i] *= y.step;
  }
  return {turn_ * da, turn_ * db};
}

}  // namespace limber
