#include "limber/contact/forces/friction_force.hpp"

#include "limber/contact/forces/tangent_plane.hpp"
#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"

namespace limber {
namespace {

using Kind = Collision::Kind;

}  // namespace

FrictionForce::Rubbing FrictionForce::with_friction(const State& u) const {
  Rubbing rubbing{collisions().own(u.q, u.t), {}};
  for (const Collision& c : rubbing.all)
    if (mu(c.objects) > 0) rubbing.list.push_back(&c);
  return rubbing;
}

FrictionForce::Points FrictionForce::points(const State& u) const {
  return points(with_friction(u).list, u, collisions().positions(u.q, u.t));
}

FrictionForce::Points FrictionForce::points(const std::vector<const Collision*>& some, const State& u,
                                            const Vector& x) const {
  Points all{std::vector<Point>(some.size()), std::vector<int>(4 * some.size()), std::vector<double>(4 * some.size())};
  in_pieces(
      some.size(), collisions_a_piece,
      [&](std::size_t k) {
        const Collision& c = *some[k];
        const std::size_t first = 4 * k;
        Point& p = all.list[k];
        p = {{c.nodes[0], c.nodes[1], c.nodes[2], c.nodes[3], c.obstacle, static_cast<int>(c.kind)},
             first,
             static_cast<std::size_t>(c.count),
             c.normal(),
             0,
             Vec3::Zero()};
        p.pressure = mu(c.objects) * stiffness_->normal_force(c, collisions().delta(c), mollifier_value(c, x));
        if (c.obstacle >= 0) p.surface = collisions().pose(c.obstacle, u.t).velocity(point(u.q, c.nodes[0]));
        for (std::size_t i = 0; i < p.count; ++i) {
          all.nodes[first + i] = c.nodes[i];
          all.w[first + i] = c.weights()[i];
        }
      },
      collision_cost);
  return all;
}

Vec3 FrictionForce::force_on_first(const Collision& c, const State& u, const Vector& x) const {
  const Points one = points({&c}, u, x);
  return force(one.list[0], slip(one, one.list[0], u));
}

void FrictionForce::add_coupled_stiffness(const Points& now, const State& u, TangentBuilder& T) const {
  const Vector x = collisions().positions(u.q, u.t);
  const Rubbing rubbing = with_friction(u);
  T.add_unsymmetric_stiffness(rubbing.list.size(), [&](std::size_t k, NodeMatrix& m) {
    m = coupled_stiffness(*rubbing.list[k], now, now.list[k], u, x);
  });
}

/// With F = −μ λ φ(|y|) y, fᵢ = wᵢ F:  ∂fᵢ/∂x = F ∂wᵢ/∂x + wᵢ [−μ φ y ∂λ/∂x − μ λ (d(φ y)/dy) ∂y/∂x].
NodeMatrix FrictionForce::coupled_stiffness(const Collision& c, const Points& all, const Point& p, const State& u,
                                            const Vector& x) const {
  using Row = Eigen::Matrix<double, 1, 12>;
  using Rows = Eigen::Matrix<double, 3, 12>;
  const double delta = collisions().delta(c), kappa = stiffness_->of(c, delta) * c.pairs, share = mu(c.objects);
  const Jet b = barrier(c.gap, delta);
  const Mat3 P = tangent_plane(p.n);
  Row force_rate;  // ∂λ/∂x
  Rows normal_rate, slip_rate = Rows::Zero();
  std::array<Row, 4> weight_rate;
  weight_rate.fill(Row::Zero());
  const Vec3 relative = relative_velocity(all, p, u);
  if (c.kind == Kind::obstacle) {
    normal_rate.setZero();
    normal_rate.leftCols<3>() = c.curvature;
    force_rate.setZero();
    force_rate.head<3>() = -kappa * b.second * p.n.transpose();
    const PosedShape shape = collisions().pose(c.obstacle, u.t);
    const Vec3 at = point(u.q, c.nodes[0]);
    for (int k = 0; k < 3; ++k) slip_rate.col(k) -= P * (shape.velocity(at + Vec3::Unit(k)) - p.surface);
  } else {
    normal_rate = normal_derivative(c.nearest);
    const auto parameter_rate = parameter_derivative(c.nearest);
    for (std::size_t i = 0; i < 4; ++i)
      for (int j = 0; j < c.nearest.k; ++j) weight_rate[i] += c.nearest.dw[ix(j)][i] * parameter_rate.row(j);
    const Mollifier m = mollifier(c, x);
    force_rate = -kappa * (m.value * b.second * gradient(c.nearest) + b.first * m.gradient).transpose();
    for (int i = 0; i < c.count; ++i)
      slip_rate += P * collisions().velocity(c.nodes[ix(i)], u.v, u.t) * weight_rate[ix(i)];
  }
  slip_rate -= p.n.dot(relative) * normal_rate + p.n * (relative.transpose() * normal_rate);
  const Vec3 y = slip(all, p, u), F = force(p, y);
  const Rows F_rate =
      -share * friction_factor(y.norm(), eps()) * y * force_rate - p.pressure * friction_slope(y, eps()) * slip_rate;
  NodeMatrix m{collisions().body_nodes(c.nodes), {}};
  for (int a = 0; a < c.count; ++a) m.A.middleRows<3>(3 * a) = -F * weight_rate[ix(a)] - c.weights()[ix(a)] * F_rate;
  return m;
}

}  // namespace limber
