#include "limber/force/bending.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "limber/force/require.hpp"
#include "limber/force/thin_mass.hpp"
#include "limber/force/turned.hpp"

namespace limber {

namespace {

using HingePoints = Stencils<4>::Points;
using HingeBlock = Stencils<4>::Block;
using HingeGradient = Stencils<4>::Gradient;

Mat3 cross_matrix(const Vec3& a) {
  Mat3 A;
  A << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return A;
}

/// One triangle at the edge e: p leads from the edge's first node to the opposite one, which turns θ by G = ∂θ/∂p; the
/// edge's own part is ∂θ/∂e = −s G with s the place of p's foot on it. `side` is −1 for the first triangle, 1 for the
/// second. A triangle shrunk to a line has no angle and turns nothing: G = 0.
struct Side {
  Side(const Vec3& e_, const Vec3& p_, double side_) : e(e_), p(p_), side(side_) {
    length = e.norm();
    normal = e.cross(p);
    square = normal.squaredNorm();
    if (square == 0) return;
    foot = p.dot(e) / (length * length);
    G = side * length / square * normal;
  }

  /// ∂G/∂(e, p) and ∂s/∂(e, p).
  Eigen::Matrix<double, 3, 6> dG() const {
    if (square == 0) return Eigen::Matrix<double, 3, 6>::Zero();
    const Mat3 turn = side * length / square * (Mat3::Identity() - 2 / square * normal * normal.transpose());
    Eigen::Matrix<double, 3, 6> d;
    d << side / (square * length) * normal * e.transpose() - turn * cross_matrix(p), turn * cross_matrix(e);
    return d;
  }
  Eigen::Matrix<double, 1, 6> dfoot() const {
    if (square == 0) return Eigen::Matrix<double, 1, 6>::Zero();
    Eigen::Matrix<double, 1, 6> d;
    d << (p - 2 * foot * e).transpose(), e.transpose();
    return d / (length * length);
  }

  Vec3 e, p, normal, G = Vec3::Zero();
  double side, length, square, foot = 0;
};

/// θ about the edge from x₀ to x₁ and its derivatives, taken in e = x₁ − x₀, x₂ − x₀ and x₃ − x₀; each side adds its
/// own.
class Hinge {
 public:
  explicit Hinge(const HingePoints& x)
      : first_(x.col(1) - x.col(0), x.col(2) - x.col(0), -1), second_(first_.e, x.col(3) - x.col(0), 1) {}

  double angle() const {
    const Vec3 n = first_.normal, m = -second_.normal;
    return std::atan2(first_.e.dot(n.cross(m)), first_.length * n.dot(m));
  }
  HingeGradient gradient() const {
    HingeGradient g;
    g.segment<3>(3) = -first_.foot * first_.G - second_.foot * second_.G;
    g.segment<3>(6) = first_.G;
    g.segment<3>(9) = second_.G;
    g.head<3>() = -g.segment<3>(3) - g.segment<3>(6) - g.segment<3>(9);
    return g;
  }
  HingeBlock hessian() const {
    Eigen::Matrix<double, 9, 9> H = Eigen::Matrix<double, 9, 9>::Zero();
    add(first_, 3, H);
    add(second_, 6, H);
    HingeBlock K;
    K.bottomRightCorner<9, 9>() = (H + H.transpose()) / 2;
    for (int a = 1; a < 4; ++a) {
      Mat3 sum = Mat3::Zero();
      for (int b = 1; b < 4; ++b) sum += K.block<3, 3>(3 * a, 3 * b);
      K.block<3, 3>(3 * a, 0) = -sum;
      K.block<3, 3>(0, 3 * a) = -sum.transpose();
    }
    K.topLeftCorner<3, 3>() = -K.block<3, 3>(3, 0) - K.block<3, 3>(6, 0) - K.block<3, 3>(9, 0);
    return K;
  }

 private:
  static void add(const Side& t, int at, Eigen::Matrix<double, 9, 9>& H) {
    const Eigen::Matrix<double, 3, 6> dG = t.dG(), edge = -t.foot * dG - t.G * t.dfoot();
    H.topLeftCorner<3, 3>() += edge.leftCols<3>();
    H.block<3, 3>(0, at) += edge.rightCols<3>();
    H.block<3, 3>(at, 0) += dG.leftCols<3>();
    H.block<3, 3>(at, at) += dG.rightCols<3>();
  }

  Side first_, second_;
};

/// θ − θ₀ in (−π, π].
double deviation(double angle, double rest) {
  const double d = angle - rest;
  if (d > std::numbers::pi) return d - 2 * std::numbers::pi;
  if (d <= -std::numbers::pi) return d + 2 * std::numbers::pi;
  return d;
}

/// A triangle at an edge: its number and the node opposite to the edge.
struct Wing {
  std::size_t triangle;
  int opposite;
};

std::map<std::array<int, 2>, std::vector<Wing>> wings_of(const TriMesh& mesh) {
  std::map<std::array<int, 2>, std::vector<Wing>> wings;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
      wings[{std::min(a, b), std::max(a, b)}].push_back({t, mesh.triangles[t][(k + 2) % 3]});
    }
  return wings;
}

}  // namespace

double plate_stiffness(double young, double poisson, double thickness) {
  return young * thickness * thickness * thickness / (12 * (1 - poisson * poisson));
}

BendingForce::BendingForce(const TriMesh& mesh, int first_node, std::span<const double> stiffness, RestAngles rest,
                           const std::string& where) {
  eigen_assert(stiffness.size() == mesh.triangles.size());
  for (const double D : stiffness) require_not_negative(D, where + ".stiffness");
  const std::vector<double> area = triangle_areas(mesh, where);
  const auto X = [&](int j) { return mesh.nodes[static_cast<std::size_t>(j)]; };
  std::vector<Stencils<4>::Nodes> nodes;
  for (const auto& [edge, wings] : wings_of(mesh))
    for (std::size_t i = 0; i < wings.size(); ++i)
      for (std::size_t j = i + 1; j < wings.size(); ++j) {
        const auto [s, p] = wings[i];
        const auto [t, r] = wings[j];
        HingePoints x;
        x << X(edge[0]), X(edge[1]), X(p), X(r);
        const double weight = (x.col(1) - x.col(0)).squaredNorm() / (area[s] + area[t]);
        const double angle = rest == RestAngles::zero ? 0 : Hinge(x).angle();
        rest_.push_back({(stiffness[s] + stiffness[t]) / 2 * weight, angle});
        nodes.push_back({first_node + edge[0], first_node + edge[1], first_node + p, first_node + r});
      }
  hinges_ = Stencils<4>(std::move(nodes));
}

void BendingForce::add_force(const State& u, Vector& f) const {
  hinges_.for_each(u.q, [&](std::size_t i, const HingePoints& x) {
    const Hinge hinge(x);
    const HingeGradient g = -rest_[i].stiffness * deviation(hinge.angle(), rest_[i].angle) * hinge.gradient();
    hinges_.add(i, HingePoints(g.reshaped(3, 4)), f);
  });
}

void BendingForce::add_tangent(const State& u, TangentBuilder& T) const {
  hinges_.for_each(u.q, [&](std::size_t i, const HingePoints& x) {
    const Hinge hinge(x);
    const double k = rest_[i].stiffness, d = deviation(hinge.angle(), rest_[i].angle);
    const HingeGradient g = hinge.gradient();
    HingeBlock K = k * g * g.transpose();
    if (d != 0) {
      K += k * d * hinge.hessian();
      if (T.projected()) K = projected<4>(K);
    }
    hinges_.add(i, K, T);
  });
}

/// Angles do not change when all turns.
void BendingForce::add_turned_stiffness(const State& start, double dt, TangentBuilder& T) const {
  hinges_.for_each(start.q, [&](std::size_t i, const HingePoints& x) {
    const HingeGradient g = Hinge(moved_on<4>(x, hinges_.points(i, start.v), dt)).gradient();
    hinges_.add(i, HingeBlock(rest_[i].stiffness * g * g.transpose()), T);
  });
}

std::optional<Potentials> BendingForce::potentials(const State& u) const {
  const double W = hinges_.sum(u.q, [&](std::size_t i, const HingePoints& x) {
    const double d = deviation(Hinge(x).angle(), rest_[i].angle);
    return rest_[i].stiffness / 2 * d * d;
  });
  return Potentials{std::isnan(W) ? std::numeric_limits<double>::infinity() : W, 0};
}

}  // namespace limber
