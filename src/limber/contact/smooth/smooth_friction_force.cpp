#include "limber/contact/smooth/smooth_friction_force.hpp"

#include "limber/contact/forces/tangent_plane.hpp"
#include "limber/core/nodes.hpp"

namespace limber {
ForceTraits SmoothFrictionForce::traits() const {
  return {.symmetric = true,
          .velocity_dependent = true,
          .has_potential = true,
          .time_dependent = contacts_->collisions().moves(),
          .wholly_implicit = true,
          .lag = form_ == FrictionForm::lagged ? Lag::each_solution : Lag::each_iterate,
          .energy = EnergyKind::contact};
}

double SmoothFrictionForce::mu(const SmoothContact& c) const {
  return contacts_->collisions().scene().mu[ix(c.objects[0])][ix(c.objects[1])];
}

SmoothFrictionForce::FrictionPoint SmoothFrictionForce::friction_point(const SmoothContact& c) const {
  const Index n = static_cast<Index>(c.local.nodes.size());
  FrictionPoint g{c.local.nodes, Vector(n), c.normal(), mu(c) * normal_force(c, *stiffness_, contacts_->delta())};
  for (Index i = 0; i < n; ++i) g.w[i] = g.n.dot(c.local.gradient.segment<3>(3 * i)) / c.slope();
  return g;
}

std::vector<SmoothFrictionForce::FrictionPoint> SmoothFrictionForce::friction_points(const State& u) const {
  std::vector<FrictionPoint> list;
  for (const SmoothContact& c : contacts_->at(u.q, u.t))
    if (mu(c) > 0) list.push_back(friction_point(c));
  return list;
}

Matrix SmoothFrictionForce::velocities(const std::vector<int>& nodes, const State& u) const {
  Matrix V(3, static_cast<Index>(nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i)
    V.col(static_cast<Index>(i)) = contacts_->collisions().velocity(nodes[i], u.v, u.t);
  return V;
}

Vec3 SmoothFrictionForce::slip(const FrictionPoint& g, const State& u) const {
  const Vec3 v = velocities(g.nodes, u) * g.w;
  return v - g.n.dot(v) * g.n;
}

void SmoothFrictionForce::add_couplings_at(const State&, Couplings& now) const {
  if (form_ == FrictionForm::coupled) return;
  const int N = contacts_->collisions().scene().body_nodes;
  for (const FrictionPoint& g : held_)
    for (std::size_t a = 0; a < g.nodes.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (g.nodes[a] < N && g.nodes[b] < N) now.emplace_back(g.nodes[a], g.nodes[b]);
}

std::optional<Potentials> SmoothFrictionForce::potentials(const State& u) const {
  Potentials p;
  for (const FrictionPoint& g : held_) p.dissipated += g.pressure * friction_potential(slip(g, u).norm(), eps_);
  return p;
}

Vec3 SmoothFrictionForce::force_on_point(const SmoothContact& c, const State& u) const {
  const FrictionPoint g = friction_point(c);
  const Vec3 y = slip(g, u);
  return -g.pressure * friction_factor(y.norm(), eps_) * y;
}

double SmoothFrictionForce::friction_power(const State& u) const {
  double power = 0;
  for (const FrictionPoint& g : friction_points(u)) {
    const double speed = slip(g, u).norm();
    power += g.pressure * friction_smoothing(speed, eps_).value * speed;
  }
  return power;
}

/// At the speed of the surfaces, with which friction itself is reckoned.
double SmoothFrictionForce::driving_work(const State& u, double t0, double t1) const {
  const int N = contacts_->collisions().scene().body_nodes;
  double power = 0;
  for (const FrictionPoint& g : friction_points(u)) {
    const Vec3 y = slip(g, u), F = -g.pressure * friction_factor(y.norm(), eps_) * y;
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
      if (g.nodes[i] >= N)
        power -= g.w[static_cast<Index>(i)] * F.dot(contacts_->collisions().velocity(g.nodes[i], u.v, u.t));
  }
  return (t1 - t0) * power;
}

void SmoothFrictionForce::add_force(const State& u, Vector& f) const {
  const int N = contacts_->collisions().scene().body_nodes;
  for (const FrictionPoint& g : form_ == FrictionForm::coupled ? friction_points(u) : held_) {
    const Vec3 y = slip(g, u), F = -g.pressure * friction_factor(y.norm(), eps_) * y;
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
      if (g.nodes[i] < N) f.segment<3>(3 * static_cast<Index>(g.nodes[i])) += g.w[static_cast<Index>(i)] * F;
  }
}

void SmoothFrictionForce::add_damping(const FrictionPoint& g, const State& u, TangentBuilder& T) const {
  const int N = contacts_->collisions().scene().body_nodes;
  const Mat3 P = tangent_plane(g.n);
  const Vec3 y = slip(g, u);
  // Projected: the secant instead of the slope, whose quadratic lies above R.
  const Mat3 G = T.projected() ? Mat3(g.pressure * friction_factor(y.norm(), eps_) * P)
                               : Mat3(g.pressure * P * friction_slope(y, eps_) * P);
  for (std::size_t a = 0; a < g.nodes.size(); ++a)
    for (std::size_t b = 0; b < g.nodes.size(); ++b)
      if (g.nodes[a] < N && g.nodes[b] < N)
        T.add_damping(g.nodes[a], g.nodes[b], g.w[static_cast<Index>(a)] * g.w[static_cast<Index>(b)] * G);
}

void SmoothFrictionForce::add_tangent(const State& u, TangentBuilder& T) const {
  if (form_ == FrictionForm::lagged) {
    for (const FrictionPoint& g : held_) add_damping(g, u, T);
    return;
  }
  // A projected tangent is symmetric: that of friction that lags.
  const auto order = T.projected() ? SmoothContacts::Order::first : SmoothContacts::Order::second;
  for (const SmoothContact& c : contacts_->at(u.q, u.t, order)) {
    if (mu(c) == 0) continue;
    const FrictionPoint g = friction_point(c);
    add_damping(g, u, T);
    if (!T.projected()) add_coupled_stiffness(c, g, u, T);
  }
}

/// With F = −μ λ ψ(|y|) y, ψ = s/|y|, fᵢ = wᵢ F:  ∂fᵢ/∂x = F ∂wᵢ/∂x + wᵢ [−μ ψ y ∂λ/∂x − μ λ (d(ψ y)/dy) ∂y/∂x].
void SmoothFrictionForce::add_coupled_stiffness(const SmoothContact& c, const FrictionPoint& g, const State& u,
                                                TangentBuilder& T) const {
  const int N = contacts_->collisions().scene().body_nodes;
  const Matrix& H = c.local.hessian;
  const Index n = g.w.size();
  const double size = c.slope();
  const Mat3 P = tangent_plane(g.n);
  const Jet b = barrier(c.gap, contacts_->delta());
  const Matrix point_rows = H.topRows<3>();
  const Matrix normal_rate = P / size * point_rows;                   // 3 × 3n
  const Eigen::RowVectorXd size_rate = g.n.transpose() * point_rows;  // ∂|g₀|/∂x
  const Eigen::RowVectorXd force_rate =
      -stiffness_->of(c.objects) * (b.second * size * c.local.gradient.transpose() + b.first * size_rate);
  Matrix weight_rate(n, 3 * n);
  for (Index i = 0; i < n; ++i)
    weight_rate.row(i) = (g.n.transpose() * H.middleRows<3>(3 * i) +
                          c.local.gradient.segment<3>(3 * i).transpose() * normal_rate - g.w[i] * size_rate) /
                         size;
  const Matrix V = velocities(g.nodes, u);
  const Vec3 relative = V * g.w, y = P * relative;
  const Matrix slip_rate =
      P * V * weight_rate - g.n.dot(relative) * normal_rate - g.n * (relative.transpose() * normal_rate);
  const double factor = friction_factor(y.norm(), eps_);
  const Vec3 F = -g.pressure * factor * y;
  const Matrix F_rate = -mu(c) * factor * y * force_rate - g.pressure * friction_slope(y, eps_) * slip_rate;
  for (Index i = 0; i < n; ++i) {
    const int row = g.nodes[static_cast<std::size_t>(i)];
    if (row >= N) continue;
    const Matrix rate = F * weight_rate.row(i) + g.w[i] * F_rate;
    for (Index j = 0; j < n; ++j)
      if (const int column = g.nodes[static_cast<std::size_t>(j)]; column < N)
        T.add_unsymmetric_stiffness(row, column, -rate.block<3, 3>(0, 3 * j));
  }
}

}  // namespace limber
