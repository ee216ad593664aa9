#include "limber/solve/free_motions.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/linalg/modes/null_vectors.hpp"

namespace limber {
namespace {

constexpr double independent = 1e-6;  // relative to directions of length 1

/// Entries above the diagonal are mirrored below, or not stored.
SparseMatrix lower_part(const SparseMatrix& A) { return A.triangularView<Eigen::Lower>(); }

/// Six columns: the group's translations, and its rotations about `about`.
Matrix rigid_fields(const State& u, const std::vector<int>& nodes, const Vec3& about) {
  Matrix R = Matrix::Zero(u.q.size(), 6);
  for (const int i : nodes)
    for (int axis = 0; axis < 3; ++axis) {
      R(3 * i + axis, axis) = 1;
      R.block<3, 1>(3 * i, 3 + axis) = Vec3::Unit(axis).cross(Vec3(block(u.q, i)) - about);
    }
  return R;
}

/// For messages: sets rounding errors to zero.
std::string vector_text(Vec3 x, double scale) {
  for (double& c : x)
    if (std::abs(c) < 1e-6 * scale) c = 0;
  return fmt::format("({:.3g}, {:.3g}, {:.3g})", x[0], x[1], x[2]);
}

std::string direction_text(Vec3 d) {
  d.normalize();
  Index largest = 0;
  d.cwiseAbs().maxCoeff(&largest);
  if (d[largest] < 0) d = -d;
  return vector_text(d, 1);
}

}  // namespace

std::string FreeMotions::text() const {
  // First the combinations that are pure translations, then those with rotation.
  const Matrix turns = radius * motions.bottomRows(3);
  const Eigen::SelfAdjointEigenSolver<Matrix> sizes(turns.transpose() * turns);
  const double whole = motions.topRows(3).squaredNorm() + turns.squaredNorm();  // local: small
  const Index slides = (sizes.eigenvalues().array() <= independent * independent * whole).count();
  const Matrix sorted = motions * sizes.eigenvectors();
  const auto slide = [&](Index k) -> Vec3 { return sorted.col(k).head(3); };
  const auto turn = [&](Index k) -> Vec3 { return sorted.col(slides + k).tail(3); };
  std::vector<std::string> ways;
  if (slides == 1) ways.push_back("slide along " + direction_text(slide(0)));
  if (slides == 2) ways.push_back("slide in all directions across " + direction_text(slide(0).cross(slide(1))));
  if (slides == 3) ways.push_back("move in all directions");
  const Index rank = motions.cols() - slides;
  if (rank == 1) {
    // t + w × (p − about) is parallel to w on the axis.
    const Vec3 t = slide(slides), w = turn(0);
    const Vec3 on_axis = about + w.cross(t) / w.squaredNorm();  // local: small
    ways.push_back(fmt::format("turn about the axis through {} m along {}",
                               vector_text(on_axis, about.norm() + 1e-3),  // local: small
                               direction_text(w)));
  }
  if (rank == 2) ways.push_back("turn about all axes across " + direction_text(turn(0).cross(turn(1))));
  if (rank == 3) ways.push_back("turn about all axes");
  return join(ways, " and ");
}

std::vector<FreeMotions> free_motions(System& system, const State& u, const std::vector<std::vector<int>>& groups) {
  System& plain = system.contact() ? system.contact()->smooth() : system;
  std::vector<FreeMotions> found(groups.size());
  if (!system.traits().nodes.positions) return found;
  const Space& space = system.space();
  Tangent T;
  system.stand_still(0);
  plain.linearize({u.q, Vector::Zero(u.q.size()), u.t}, Definiteness::exact, T);
  system.stand_still(std::nullopt);
  const BlockProduct K(lower_part(T.K), space), M(lower_part(system.mass()), space);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (space.all(groups[g].empty())) continue;
    Eigen::Vector4d sum = Eigen::Vector4d::Zero();
    for (const int i : groups[g]) sum += Eigen::Vector4d(u.q[3 * i], u.q[3 * i + 1], u.q[3 * i + 2], 1);
    space.processes().sum({sum.data(), 4});
    found[g].about = sum.head<3>() / sum[3];
    double squares = 0;
    for (const int i : groups[g]) squares += (Vec3(block(u.q, i)) - found[g].about).squaredNorm();  // local: a node
    found[g].radius = std::sqrt(space.sum(squares) / sum[3]);
    const Matrix fields = rigid_fields(u, groups[g], found[g].about);
    const Matrix null = null_vectors(K, M, fields);
    if (null.cols() == 0) continue;
    // Zero fields, for a group that is a single node or a line, are skipped.
    const Eigen::SelfAdjointEigenSolver<Matrix> gram(K.inner(fields, fields));
    const Vector& size = gram.eigenvalues();
    Matrix inverse = Matrix::Zero(6, 6);
    for (Index k = 0; k < 6; ++k)
      if (size[k] > 1e-12 * size[5])
        inverse += gram.eigenvectors().col(k) * gram.eigenvectors().col(k).transpose() / size[k];
    found[g].motions = inverse * K.inner(fields, null);
  }
  return found;
}

}  // namespace limber
