#include "limber/contact/forces/friction_force.hpp"

#include <algorithm>
#include <bit>

#include "limber/contact/forces/tangent_plane.hpp"
#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"

namespace limber {
namespace {

using Kind = Collision::Kind;

/// d/dx of η(x) = x/s(x).
double slip_scale_slope(double x, double eps) {
  const double r = x < eps ? 2 - x / eps : 1;
  return 1 / (r * r);
}

}  // namespace

ForceTraits FrictionForce::traits() const {
  const bool lagged = form_ == FrictionForm::lagged;
  return {.symmetric = true,
          .velocity_dependent = true,
          .has_potential = true,
          .time_dependent = collisions_->moves(),
          .wholly_implicit = true,
          .lag = lagged ? Lag::each_solution : Lag::each_iterate,
          .energy = EnergyKind::contact};
}

double FrictionForce::mu(const Collision& c) const {
  return collisions_->scene().mu[ix(c.objects[0])][ix(c.objects[1])];
}

FrictionForce::FrictionPoint FrictionForce::friction_point(const Collision& c, const State& u, const Vector& x) const {
  FrictionPoint g{c.nodes, c.count, c.weights(), c.normal(), 0};
  g.pair = {c.nodes[0], c.nodes[1], c.nodes[2], c.nodes[3], c.obstacle, static_cast<int>(c.kind)};
  g.pressure = mu(c) * stiffness_->normal_force(c, collisions_->delta(c), mollifier_value(c, x));
  if (c.obstacle >= 0) g.surface = collisions_->pose(c.obstacle, u.t).velocity(point(u.q, c.nodes[0]));
  return g;
}

std::vector<const Collision*> FrictionForce::with_friction(const State& u) const {
  std::vector<const Collision*> list;
  for (const Collision& c : collisions_->at(u.q, u.t))
    if (mu(c) > 0) list.push_back(&c);
  return list;
}

std::vector<FrictionForce::FrictionPoint> FrictionForce::friction_points(const State& u) const {
  const Vector x = collisions_->positions(u.q, u.t);
  const auto sliding = with_friction(u);
  std::vector<FrictionPoint> list(sliding.size());
  in_pieces(sliding.size(), collisions_a_piece, [&](std::size_t k) { list[k] = friction_point(*sliding[k], u, x); });
  return list;
}

void FrictionForce::update_lagged(const State& u) {
  // Another time is another stage.
  holds_ = u.t == held_at_ ? holds_ + 1 : 1;
  held_at_ = u.t;
  if (form_ == FrictionForm::coupled && holds_ == coupled_iterates + 1) ++held_stages_;
  const auto rounds = static_cast<unsigned>(holds_ / coupled_iterates);
  const bool anew = holds_ % coupled_iterates == 0 && std::has_single_bit(rounds);
  if (form_ == FrictionForm::lagged || !stays_held() || anew) held_ = friction_points(u);
  if (form_ == FrictionForm::lagged) return;
  std::vector<Pull> next(held_.size());
  in_pieces(held_.size(), collisions_a_piece, [&](std::size_t k) {
    const Vec3 y = slip(held_[k], u);
    next[k] = {held_[k].pair, y, next_pull(held_[k], y)};
  });
  std::sort(next.begin(), next.end(), [](const Pull& a, const Pull& b) { return a.pair < b.pair; });
  pulls_ = std::move(next);
}

const FrictionForce::Pull* FrictionForce::pull(const FrictionPoint& g) const {
  const auto it = std::lower_bound(pulls_.begin(), pulls_.end(), g.pair,
                                   [](const Pull& p, const auto& pair) { return p.pair < pair; });
  return it != pulls_.end() && it->pair == g.pair ? &*it : nullptr;
}

/// η w = y to first order at the last iterate: w⁺ = (y⁺ − η' ŷ·(y⁺ − y) w)/η.
Vec3 FrictionForce::next_pull(const FrictionPoint& g, const Vec3& y) const {
  const Pull* last = pull(g);
  if (last == nullptr) return friction_factor(y.norm(), eps_) * y;
  const double speed = last->y.norm();
  Vec3 w = y;
  if (speed > 0) w -= slip_scale_slope(speed, eps_) * last->y.dot(y - last->y) / speed * last->w;
  w *= friction_factor(speed, eps_);
  return w.norm() > 1 ? w.normalized() : w;
}

Vec3 FrictionForce::slip(const FrictionPoint& g, const State& u) const {
  Vec3 v = -g.surface;
  for (int i = 0; i < g.count; ++i)
    if (g.w[ix(i)] != 0) v += g.w[ix(i)] * collisions_->velocity(g.nodes[ix(i)], u.v, u.t);
  return v - g.n.dot(v) * g.n;
}

void FrictionForce::add_couplings_at(const State&, Couplings& now) const {
  if (!stays_held()) return;
  const int N = collisions_->scene().body_nodes;
  for (const FrictionPoint& g : held_)
    for (int a = 0; a < g.count; ++a)
      for (int b = 0; b < a; ++b)
        if (g.nodes[ix(a)] < N && g.nodes[ix(b)] < N) now.emplace_back(g.nodes[ix(a)], g.nodes[ix(b)]);
}

std::optional<Potentials> FrictionForce::potentials(const State& u) const {
  return Potentials{.dissipated = ordered_sum(static_cast<Index>(held_.size()), [&](Index k) {
                      const FrictionPoint& g = held_[static_cast<std::size_t>(k)];
                      return g.pressure * friction_potential(slip(g, u).norm(), eps_);
                    })};
}

Vec3 FrictionForce::force_on_first(const Collision& c, const State& u, const Vector& x) const {
  const FrictionPoint g = friction_point(c, u, x);
  const Vec3 y = slip(g, u);
  return -g.pressure * friction_factor(y.norm(), eps_) * y;
}

double FrictionForce::friction_power(const State& u) const {
  double power = 0;
  for (const FrictionPoint& g : friction_points(u)) {
    const double speed = slip(g, u).norm();
    power += g.pressure * friction_smoothing(speed, eps_).value * speed;
  }
  return power;
}

/// At the speed of the surfaces, with which friction itself is reckoned.
double FrictionForce::driving_work(const State& u, double t0, double t1) const {
  const int N = collisions_->scene().body_nodes;
  double power = 0;
  for (const FrictionPoint& g : friction_points(u)) {
    const Vec3 y = slip(g, u), F = -g.pressure * friction_factor(y.norm(), eps_) * y;
    power += F.dot(g.surface);
    for (int i = 0; i < g.count; ++i)
      if (const int node = g.nodes[ix(i)]; node >= N)
        power -= g.w[ix(i)] * F.dot(collisions_->velocity(node, u.v, u.t));
  }
  return (t1 - t0) * power;
}

void FrictionForce::add_force(const State& u, Vector& f) const {
  const std::vector<FrictionPoint> now = stays_held() ? std::vector<FrictionPoint>{} : friction_points(u);
  const std::vector<FrictionPoint>& all = stays_held() ? held_ : now;
  std::vector<Vec3> F(all.size());
  in_pieces(all.size(), collisions_a_piece, [&](std::size_t k) {
    const Vec3 y = slip(all[k], u);
    F[k] = -all[k].pressure * friction_factor(y.norm(), eps_) * y;
  });
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto nodes = collisions_->body_nodes(all[k].nodes);
    for (std::size_t i = 0; i < 4; ++i)
      if (nodes[i] >= 0) f.segment<3>(3 * static_cast<Index>(nodes[i])) += all[k].w[i] * F[k];
  }
}

NodeMatrix FrictionForce::damping(const FrictionPoint& g, const State& u) const {
  const Mat3 P = tangent_plane(g.n);
  const Vec3 y = slip(g, u);
  Mat3 G = friction_slope(y, eps_);
  if (const Pull* p = pull(g); p && !y.isZero(0)) {
    const double rate = slip_scale_slope(y.norm(), eps_) / 2;
    const Vec3 direction = y.normalized();
    G = Mat3::Identity() - rate * (p->w * direction.transpose() + direction * p->w.transpose());
    G *= friction_factor(y.norm(), eps_);
  }
  G = g.pressure * P * G * P;
  NodeMatrix m{collisions_->body_nodes(g.nodes), {}};
  for (int a = 0; a < g.count; ++a)
    for (int b = 0; b < g.count; ++b) m.A.block<3, 3>(3 * a, 3 * b) = g.w[ix(a)] * g.w[ix(b)] * G;
  return m;
}

void FrictionForce::add_tangent(const State& u, TangentBuilder& T) const {
  if (stays_held()) {
    T.add_damping(held_.size(), [&](std::size_t k, NodeMatrix& m) { m = damping(held_[k], u); });
    return;
  }
  const Vector x = collisions_->positions(u.q, u.t);
  const auto sliding = with_friction(u);
  std::vector<FrictionPoint> all(sliding.size());
  T.add_damping(sliding.size(), [&](std::size_t k, NodeMatrix& m) {
    all[k] = friction_point(*sliding[k], u, x);
    m = damping(all[k], u);
  });
  // A projected tangent is symmetric: that of friction that lags.
  if (T.projected()) return;
  T.add_unsymmetric_stiffness(sliding.size(),
                              [&](std::size_t k, NodeMatrix& m) { m = coupled_stiffness(*sliding[k], all[k], u, x); });
}

/// With F = −μ λ φ(|y|) y, fᵢ = wᵢ F:  ∂fᵢ/∂x = F ∂wᵢ/∂x + wᵢ [−μ φ y ∂λ/∂x − μ λ (d(φ y)/dy) ∂y/∂x].
NodeMatrix FrictionForce::coupled_stiffness(const Collision& c, const FrictionPoint& g, const State& u,
                                            const Vector& x) const {
  using Row = Eigen::Matrix<double, 1, 12>;
  using Rows = Eigen::Matrix<double, 3, 12>;
  const Jet b = barrier(c.gap, collisions_->delta(c));
  const double kappa = stiffness_->of(c) * c.pairs, share = mu(c);
  const Mat3 P = tangent_plane(g.n);
  Row force_rate;  // ∂λ/∂x
  Rows normal_rate, slip_rate = Rows::Zero();
  std::array<Row, 4> weight_rate;
  weight_rate.fill(Row::Zero());
  Vec3 relative = -g.surface;
  for (int i = 0; i < g.count; ++i) relative += g.w[ix(i)] * collisions_->velocity(g.nodes[ix(i)], u.v, u.t);
  if (c.kind == Kind::obstacle) {
    normal_rate.setZero();
    normal_rate.leftCols<3>() = c.curvature;
    force_rate.setZero();
    force_rate.head<3>() = -kappa * b.second * g.n.transpose();
    const PosedShape shape = collisions_->pose(c.obstacle, u.t);
    const Vec3 p = point(u.q, c.nodes[0]);
    for (int k = 0; k < 3; ++k) slip_rate.col(k) -= P * (shape.velocity(p + Vec3::Unit(k)) - g.surface);
  } else {
    normal_rate = normal_derivative(c.nearest);
    const auto parameter_rate = parameter_derivative(c.nearest);
    for (std::size_t i = 0; i < 4; ++i)
      for (int j = 0; j < c.nearest.k; ++j) weight_rate[i] += c.nearest.dw[ix(j)][i] * parameter_rate.row(j);
    const Mollifier m = mollifier(c, x);
    force_rate = -kappa * (m.value * b.second * gradient(c.nearest) + b.first * m.gradient).transpose();
    for (int i = 0; i < g.count; ++i)
      slip_rate += P * collisions_->velocity(g.nodes[ix(i)], u.v, u.t) * weight_rate[ix(i)];
  }
  slip_rate -= g.n.dot(relative) * normal_rate + g.n * (relative.transpose() * normal_rate);
  const Vec3 y = slip(g, u);
  const double factor = friction_factor(y.norm(), eps_);
  const Vec3 F = -g.pressure * factor * y;
  const Rows F_rate = -share * factor * y * force_rate - g.pressure * friction_slope(y, eps_) * slip_rate;
  NodeMatrix m{collisions_->body_nodes(g.nodes), {}};
  for (int a = 0; a < g.count; ++a) m.A.middleRows<3>(3 * a) = -F * weight_rate[ix(a)] - g.w[ix(a)] * F_rate;
  return m;
}

}  // namespace limber
