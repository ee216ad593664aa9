#include "limber/model/turned.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

namespace limber {
namespace {

/// The rotation R nearest to A: maximises tr(RᵀA). Iterates from I, so that no rotation is invented about the axis of a
/// rod, which A does not determine.
Mat3 nearest_rotation(const Mat3& A) {
  Mat3 R = Mat3::Identity();
  for (int i = 0; i < 100; ++i) {
    Vec3 torque = Vec3::Zero();
    double along = 0;
    for (int c = 0; c < 3; ++c) {
      torque += R.col(c).cross(A.col(c));
      along += R.col(c).dot(A.col(c));
    }
    const Vec3 turn = torque / (std::abs(along) + 1e-9 * A.norm() + std::numeric_limits<double>::min());
    const double angle = turn.norm();
    if (angle < 1e-9) break;
    R = Eigen::AngleAxisd(angle, turn / angle) * R;
  }
  return R;
}

}  // namespace

Matrix turned(const System& system, const Vector& q0, const Vector& q, const Matrix& X) {
  Matrix Y = X;
  const auto* parts = system.traits().nodes.parts;
  if (!parts) return Y;
  const Space& space = system.space();
  const auto sum_of = [&](auto&& value, const std::vector<int>& part, const auto& term) {
    for (const int i : part)
      if (space.owns(i)) value += term(i);
    space.processes().sum({value.data(), static_cast<std::size_t>(value.size())});
    return value;
  };
  const auto* guided = system.traits().nodes.guided_parts;
  for (std::size_t k = 0; k < parts->size(); ++k) {
    if (guided && (*guided)[k]) continue;
    const std::vector<int>& part = (*parts)[k];
    const Vec3 c0 = sum_of(Vec3(Vec3::Zero()), part, [&](int i) { return q0.segment<3>(3 * i); });
    const Vec3 c = sum_of(Vec3(Vec3::Zero()), part, [&](int i) { return q.segment<3>(3 * i); });
    double count = 0;
    for (const int i : part) count += space.owns(i) ? 1 : 0;
    count = space.sum(count);
    if (count == 0) continue;
    const Mat3 A = sum_of(Mat3(Mat3::Zero()), part, [&](int i) -> Mat3 {
      return (q.segment<3>(3 * i) - c / count) * (q0.segment<3>(3 * i) - c0 / count).transpose();
    });
    const Mat3 R = nearest_rotation(A);
    if ((R - Mat3::Identity()).norm() < 1e-3) continue;  // too small for a pass over X
    for (const int i : part) Y.middleRows<3>(3 * i) = R * X.middleRows<3>(3 * i);
  }
  return Y;
}

}  // namespace limber
