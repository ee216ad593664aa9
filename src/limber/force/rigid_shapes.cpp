#include "limber/force/rigid_shapes.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"

namespace limber {
namespace {

constexpr double least_raise = 4, most_raise = 1e10;  // of E: at once at least, and over all

Mat3 green_strain(const Mat3& A) { return .5 * (A.transpose() * A - Mat3::Identity()); }

/// The rotation nearest to A, det A > 0, by Newton's iteration for RᵀR = I.
Mat3 nearest_rotation(const Mat3& A) {
  Mat3 R = A;
  for (int i = 0; i < 50; ++i) {
    const Mat3 next = .5 * (R + R.inverse().transpose());
    const double change = (next - R).norm();
    R = next;
    if (change < 1e-14) break;
  }
  return R;
}

/// The part of a stress whose eigenvalues are positive.
Mat3 tension(const Mat3& S) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen{Matrix(S)};
  const Matrix& V = eigen.eigenvectors();
  const Matrix scaled = V * eigen.eigenvalues().cwiseMax(0).asDiagonal();
  return scaled * V.transpose();
}

}  // namespace

RigidShapes::RigidShapes(const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    Mat3 edges;
    for (std::size_t k = 1; k < 4; ++k) edges.col(static_cast<Index>(k) - 1) = part.rest[k] - part.rest[0];
    const Mat3 inverse = edges.inverse();
    Shape s{part, {}, {}, part.young};
    s.slope[0] = Vec3::Zero();
    const Vec3 w = inverse * (part.centre - part.rest[0]);
    s.at_centre = {1 - w.sum(), w[0], w[1], w[2]};
    for (std::size_t k = 1; k < 4; ++k) {
      s.slope[k] = inverse.row(static_cast<Index>(k) - 1).transpose();
      s.slope[0] -= s.slope[k];
    }
    shapes_.push_back(std::move(s));
  }
}

std::shared_ptr<Force> RigidShapes::elsewhere() const {
  auto other = std::make_shared<RigidShapes>(*this);
  other->here_ = false;
  return other;
}

Mat3 RigidShapes::Shape::gradient(const Vector& x) const {
  Mat3 A = Mat3::Zero();
  for (std::size_t k = 0; k < 4; ++k) A += block(x, part.corners[k]) * slope[k].transpose();
  return A;
}

void RigidShapes::add_couplings(Couplings& pairs) const {
  if (!here_) return;
  for (const Shape& s : shapes_)
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = 0; b <= a; ++b) pairs.emplace_back(s.part.corners[a], s.part.corners[b]);
}

void RigidShapes::add_force(const State& u, Vector& f) const {
  if (!here_) return;
  for (const Shape& s : shapes_) {
    const Mat3 A = s.gradient(u.q), P = s.part.volume * s.young * A * green_strain(A);
    for (std::size_t k = 0; k < 4; ++k) block(f, s.part.corners[k]) -= P * s.slope[k];
  }
}

/// δP = δA S + A E sym(Aᵀ δA) with S = E ε. The second part is positive, the first where S is.
void RigidShapes::add_tangent(const State& u, TangentBuilder& T) const {
  if (!here_) return;
  for (const Shape& s : shapes_) {
    const Mat3 A = s.gradient(u.q), AAt = A * A.transpose();
    const Mat3 S = T.projected() ? tension(s.young * green_strain(A)) : Mat3(s.young * green_strain(A));
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = 0; b < 4; ++b) {
        const Vec3 &ga = s.slope[a], &gb = s.slope[b];
        const Mat3 by_strain = ga.dot(gb) * AAt + (A * gb) * (A * ga).transpose();
        T.add_stiffness(s.part.corners[a], s.part.corners[b],
                        s.part.volume * (ga.dot(S * gb) * Mat3::Identity() + s.young / 2 * by_strain));
      }
  }
}

std::optional<Potentials> RigidShapes::potentials(const State& u) const {
  Potentials sum;
  if (here_)
    for (const Shape& s : shapes_)
      sum.stored += s.part.volume * s.young / 2 * green_strain(s.gradient(u.q)).squaredNorm();
  return sum;
}

std::vector<double> RigidShapes::strains(const State& u) const {
  std::vector<double> all;
  for (const Shape& s : shapes_) all.push_back(here_ ? green_strain(s.gradient(u.q)).norm() : 0);
  return all;
}

bool RigidShapes::stiffen(const std::vector<double>& strains) {
  bool changed = false;
  for (std::size_t k = 0; k < shapes_.size(); ++k) {
    Shape& s = shapes_[k];
    if (!(strains[k] > most_strain)) continue;
    const double raised =
        std::min(std::max(least_raise, strains[k] / wanted_strain) * s.young, most_raise * s.part.young);
    changed = changed || raised > s.young;
    s.young = raised;
  }
  return changed;
}

std::string RigidShapes::remark(const std::vector<double>& strains) const {
  for (std::size_t k = 0; k < shapes_.size(); ++k)
    if (strains[k] > noted_strain)
      return fmt::format("{}: steps end with the part strained by more than {}; try a smaller time.step, or TR-BDF2",
                         shapes_[k].part.where, noted_strain);
  return {};
}

std::vector<double> RigidShapes::memory() const {
  std::vector<double> youngs;
  for (const Shape& s : shapes_) youngs.push_back(s.young);
  return youngs;
}

void RigidShapes::restore(const std::vector<double>& memory) {
  if (memory.size() != shapes_.size())
    throw InputError("forces", fmt::format("{} stiffnesses for {} rigid parts", memory.size(), shapes_.size()));
  for (std::size_t k = 0; k < shapes_.size(); ++k) {
    const double first = shapes_[k].part.young;
    if (!(memory[k] >= first && memory[k] <= most_raise * first))
      throw InputError("forces", fmt::format("{} Pa cannot be the stiffness of {}", memory[k], shapes_[k].part.where));
  }
  for (std::size_t k = 0; k < shapes_.size(); ++k) shapes_[k].young = memory[k];
}

void RigidShapes::straighten(State& u) const {
  if (!here_) return;
  for (const Shape& s : shapes_) {
    const Mat3 A = s.gradient(u.q);
    if (!(A.determinant() > 0)) continue;
    const Mat3 R = nearest_rotation(A);
    const Mat3 L = s.gradient(u.v) * A.inverse(), W = .5 * (L - L.transpose());
    Vec3 x = Vec3::Zero(), v = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k) {
      x += s.at_centre[k] * block(u.q, s.part.corners[k]);
      v += s.at_centre[k] * block(u.v, s.part.corners[k]);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      const Vec3 arm = R * (s.part.rest[k] - s.part.centre);
      block(u.q, s.part.corners[k]) = x + arm;
      block(u.v, s.part.corners[k]) = v + W * arm;
    }
  }
}

}  // namespace limber
