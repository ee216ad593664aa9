#include "limber/force/rod.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "limber/force/require.hpp"
#include "limber/force/turned.hpp"

namespace limber {

namespace {

using CornerPoints = Stencils<3>::Points;
using CornerBlock = Stencils<3>::Block;
using CornerGradient = Stencils<3>::Gradient;
using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;

constexpr double eta = 0.25;
constexpr double straight = 1e-6;  // angles below this are rounding, not shape

/// Two edges e₁ = x₁ − x₀, e₂ = x₂ − x₁ with tangents t₁, t₂, c = t₁·t₂ and u = |κb|² = 4 (1 − c)/(1 + c).
struct Corner {
  explicit Corner(const CornerPoints& x) {
    const Vec3 e1 = x.col(1) - x.col(0), e2 = x.col(2) - x.col(1);
    l1 = e1.norm();
    l2 = e2.norm();
    t1 = e1 / l1;
    t2 = e2 / l2;
    c = t1.dot(t2);
    // 1 − c would lose half the digits of a nearly straight rod.
    u = 4 * t1.cross(t2).squaredNorm() / ((1 + c) * (1 + c));
  }
  Vec6 dc() const {
    Vec6 d;
    d << (t2 - c * t1) / l1, (t1 - c * t2) / l2;
    return d;
  }
  /// ∂(κb · a) for an a across both tangents.
  Vec6 bend_along(const Vec3& a) const {
    Vec6 d;
    d << t2.cross(a) / l1, a.cross(t1) / l2;
    d.head<3>() -= t1 * t1.dot(d.head<3>());
    d.tail<3>() -= t2 * t2.dot(d.tail<3>());
    return 2 / (1 + c) * d;
  }
  Mat6 ddc(const Vec6& d) const {
    const Mat3 P1 = Mat3::Identity() - t1 * t1.transpose(), P2 = Mat3::Identity() - t2 * t2.transpose();
    const Vec3 a = d.head<3>(), b = d.tail<3>();
    Mat6 H;
    H.topLeftCorner<3, 3>() = -(t1 * a.transpose() + a * t1.transpose()) / l1 - c / (l1 * l1) * P1;
    H.bottomRightCorner<3, 3>() = -(t2 * b.transpose() + b * t2.transpose()) / l2 - c / (l2 * l2) * P2;
    H.topRightCorner<3, 3>() = P1 * P2 / (l1 * l2);
    H.bottomLeftCorner<3, 3>() = H.topRightCorner<3, 3>().transpose();
    return H;
  }

  Vec3 t1, t2;
  double l1, l2, c, u;
};

/// w(u) = ½ k (√(u + smoothing) − root)², its derivatives in c.
struct Energy {
  template <class Rest>
  Energy(const Rest& rest, const Corner& corner) {
    const double r = std::sqrt(corner.u + rest.smoothing), more = 1 + corner.c;
    value = rest.stiffness / 2 * (r - rest.root) * (r - rest.root);
    const double w_u = rest.root == 0 ? rest.stiffness / 2 : rest.stiffness / 2 * (1 - rest.root / r);
    const double w_uu = rest.root == 0 ? 0 : rest.stiffness / 4 * rest.root / (r * r * r);
    const double u_c = -8 / (more * more), u_cc = 16 / (more * more * more);
    first = w_u * u_c;
    second = w_uu * u_c * u_c + w_u * u_cc;
  }
  double value, first, second;
};

/// From (e₁, e₂) to the nodes.
CornerGradient on_nodes(const Vec6& d) {
  CornerGradient g;
  g << -d.head<3>(), d.head<3>() - d.tail<3>(), d.tail<3>();
  return g;
}
CornerBlock on_nodes(const Mat6& H) {
  Eigen::Matrix<double, 9, 6> half;
  half << -H.topRows<3>(), H.topRows<3>() - H.bottomRows<3>(), H.bottomRows<3>();
  CornerBlock K;
  K << -half.leftCols<3>(), half.leftCols<3>() - half.rightCols<3>(), half.rightCols<3>();
  return K;
}

double length_of(const std::vector<std::array<int, 2>>& edges, std::size_t i, const Vector& q,
                 const std::string& where) {
  const auto [a, b] = edges[i];
  const double length = (q.segment<3>(3 * a) - q.segment<3>(3 * b)).norm();
  if (!(length > 0)) throw InputError(where, fmt::format("edge {} (nodes {}, {}) has no length at rest", i, a, b));
  return length;
}

}  // namespace

double rod_stiffness(double young, double radius) {
  return young * std::numbers::pi * radius * radius * radius * radius / 4;
}

std::vector<Spring> rod_springs(const std::vector<std::array<int, 2>>& edges, const Vector& q, double young,
                                double radius, const std::string& where) {
  std::vector<Spring> springs = network_springs(edges, q, 0, 0);
  for (std::size_t i = 0; i < edges.size(); ++i)
    springs[i].stiffness = young * std::numbers::pi * radius * radius / length_of(edges, i, q, where);
  return springs;
}

RodBending::RodBending(const std::vector<std::array<int, 2>>& edges, const Vector& q, double stiffness, RestAngles rest,
                       const std::string& where) {
  require_not_negative(stiffness, where + ".stiffness");
  std::map<int, std::vector<int>> neighbours;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    length_of(edges, i, q, where);
    neighbours[edges[i][0]].push_back(edges[i][1]);
    neighbours[edges[i][1]].push_back(edges[i][0]);
  }
  std::vector<Stencils<3>::Nodes> nodes;
  for (const auto& [node, others] : neighbours)
    for (std::size_t i = 0; i < others.size(); ++i)
      for (std::size_t j = i + 1; j < others.size(); ++j) {
        CornerPoints x;
        x << q.segment<3>(3 * others[i]), q.segment<3>(3 * node), q.segment<3>(3 * others[j]);
        const Corner corner(x);
        if (!(corner.c > -1 + 1e-9))
          throw InputError(where, fmt::format("the edges from node {} to {} and {} lie on each other at rest", node,
                                              others[i], others[j]));
        const double k = stiffness * 2 / (corner.l1 + corner.l2), curvature = std::sqrt(corner.u);
        if (curvature < straight || (rest == RestAngles::zero && others.size() == 2)) {
          rest_.push_back({k, 0, 0});
        } else {
          const double cos4 = (1 + corner.c) * (1 + corner.c) / 4;
          rest_.push_back({k * (1 + eta * eta) * cos4, eta * eta * corner.u, std::sqrt(1 + eta * eta) * curvature});
        }
        nodes.push_back({others[i], node, others[j]});
      }
  corners_ = Stencils<3>(std::move(nodes));
}

void RodBending::add_force(const State& u, Vector& f) const {
  corners_.for_each(u.q, [&](std::size_t i, const CornerPoints& x) {
    const Corner corner(x);
    const CornerGradient g = on_nodes(Vec6(-Energy(rest_[i], corner).first * corner.dc()));
    corners_.add(i, CornerPoints(g.reshaped(3, 3)), f);
  });
}

void RodBending::add_tangent(const State& u, TangentBuilder& T) const {
  corners_.for_each(u.q, [&](std::size_t i, const CornerPoints& x) {
    const Corner corner(x);
    const Energy w(rest_[i], corner);
    const Vec6 d = corner.dc();
    const CornerBlock K = on_nodes(Mat6(w.second * d * d.transpose() + w.first * corner.ddc(d)));
    corners_.add(i, T.projected() ? projected<3>(K) : K, T);
  });
}

void RodBending::add_turned_stiffness(const State& start, double dt, TangentBuilder& T) const {
  constexpr double plane = .1;  // bends above it have one
  corners_.for_each(start.q, [&](std::size_t i, const CornerPoints& x) {
    const Rest& rest = rest_[i];
    const Corner corner(moved_on<3>(x, corners_.points(i, start.v), dt));
    const double more = 1 + corner.c, u_c = -8 / (more * more);
    if (rest.root != 0) {  // of √(|κb|² + smoothing)
      const Vec6 d = u_c / (2 * std::sqrt(corner.u + rest.smoothing)) * corner.dc();
      corners_.add(i, on_nodes(Mat6(rest.stiffness * d * d.transpose())), T);
      return;
    }
    const Vec3 cross = corner.t1.cross(corner.t2), along = (corner.t1 + corner.t2).normalized();
    const Vec3 b = cross.norm() > straight ? Vec3(cross.normalized()) : along.unitOrthogonal();
    const double bend = std::sqrt(corner.u), fade = 1 + corner.u / (plane * plane);
    const Vec6 own = corner.bend_along(b) - bend / more * corner.dc(), other = corner.bend_along(along.cross(b)) / fade;
    corners_.add(i, on_nodes(Mat6(rest.stiffness * (own * own.transpose() + other * other.transpose()))), T);
  });
}

std::optional<Potentials> RodBending::potentials(const State& u) const {
  const double W =
      corners_.sum(u.q, [&](std::size_t i, const CornerPoints& x) { return Energy(rest_[i], Corner(x)).value; });
  return Potentials{std::isnan(W) ? std::numeric_limits<double>::infinity() : W, 0};
}

}  // namespace limber
