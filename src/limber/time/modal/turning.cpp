#include "limber/time/modal/turning.hpp"

#include <Eigen/LU>

#include "limber/time/stage_matrix.hpp"

namespace limber {
namespace {

/// Sums over the nodes of each part, #parts × width: nodes owned by this process, summed over all processes.
template <class Term>
Matrix part_sums(const Space& space, const std::vector<std::vector<int>>& parts, Index width, const Term& term) {
  Matrix sums = Matrix::Zero(width, static_cast<Index>(parts.size()));
  for (std::size_t k = 0; k < parts.size(); ++k)
    for (const int i : parts[k])
      if (space.owns(i)) sums.col(static_cast<Index>(k)) += term(static_cast<Index>(k), i);
  space.processes().sum({sums.data(), static_cast<std::size_t>(sums.size())});
  return sums;
}

}  // namespace

Vector turning_bodies(System& system, const Tangent& T, const State& u, double h, double share) {
  const auto* parts = system.traits().nodes.parts;
  if (!parts) return {};
  const Space& space = system.space();
  const auto at = [](const Vector& x, int i) -> Vec3 { return x.segment<3>(3 * i); };

  Matrix mean = part_sums(space, *parts, 7, [&](Index, int i) {
    Eigen::Matrix<double, 7, 1> s;
    s << at(u.q, i), at(u.v, i), 1;
    return s;
  });
  for (Index k = 0; k < mean.cols(); ++k)
    if (mean(6, k) > 0) mean.col(k).head<6>() /= mean(6, k);

  // The rotation nearest to the velocities of a part, from inertia and angular momentum of equal masses at its nodes.
  const Matrix moments = part_sums(space, *parts, 12, [&](Index k, int i) {
    const Vec3 r = at(u.q, i) - mean.col(k).head<3>(), v = at(u.v, i) - mean.col(k).segment<3>(3);
    const Mat3 inertia = r.squaredNorm() * Mat3::Identity() - r * r.transpose();  // local: a node
    Eigen::Matrix<double, 12, 1> s;
    s << inertia.reshaped(), r.cross(v);
    return s;
  });
  Vector turn = Vector::Zero(u.q.size()), stretch = turn;
  for (std::size_t k = 0; k < parts->size(); ++k) {
    const auto column = moments.col(static_cast<Index>(k));
    Mat3 inertia = column.head<9>().reshaped(3, 3);
    if (inertia.trace() == 0) continue;
    inertia.diagonal().array() += 1e-9 * inertia.trace();  // the nodes of a part may be collinear
    const Vec3 omega = inertia.inverse() * column.tail<3>(), centre = mean.col(static_cast<Index>(k)).head<3>();
    for (const int i : (*parts)[k]) {
      turn.segment<3>(3 * i) = omega.cross(Vec3(at(u.q, i) - centre));
      stretch.segment<3>(3 * i) = .5 * h * h * omega.cross(at(turn, i));
    }
  }

  const Vector force = multiply_stiffness(system, T, stretch), momentum = system.apply_mass(turn);
  const Matrix energies = part_sums(space, *parts, 2, [&](Index, int i) {
    // local: a node
    return Eigen::Vector2d(.5 * at(stretch, i).dot(at(force, i)), .5 * at(turn, i).dot(at(momentum, i)));
  });
  Vector turning = Vector::Zero(u.q.size());
  bool any = false;
  for (std::size_t k = 0; k < parts->size(); ++k) {
    const auto energy = energies.col(static_cast<Index>(k));
    if (!(energy[0] > share * energy[1])) continue;
    any = true;
    for (const int i : (*parts)[k]) turning.segment<3>(3 * i).setOnes();
  }
  return any ? space.allgather(turning) : Vector();
}

}  // namespace limber
