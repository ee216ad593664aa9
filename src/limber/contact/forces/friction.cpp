#include "limber/contact/forces/friction.hpp"

#include <algorithm>
#include <bit>

#include "limber/contact/forces/tangent_plane.hpp"
#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"

namespace limber {
namespace {

constexpr std::size_t points_in_a_piece = 256;  // of parallel work
constexpr double point_cost = 100;              // [ns]

/// d/dx of η(x) = x/s(x).
double slip_scale_slope(double x, double eps) {
  const double r = x < eps ? 2 - x / eps : 1;
  return 1 / (r * r);
}

}  // namespace

ForceTraits Friction::traits() const {
  const bool lagged = form_ == FrictionForm::lagged;
  return {.symmetric = true,
          .velocity_dependent = true,
          .has_potential = true,
          .time_dependent = collisions_->moves(),
          .wholly_implicit = true,
          .lag = lagged ? Lag::each_solution : Lag::each_iterate,
          .energy = EnergyKind::contact};
}

double Friction::mu(const std::array<int, 2>& objects) const {
  return collisions_->scene().mu[ix(objects[0])][ix(objects[1])];
}

void Friction::update_lagged(const State& u) {
  ++holds_;
  if (form_ == FrictionForm::coupled && holds_ == coupled_iterates + 1) ++held_stages_;
  const auto rounds = static_cast<unsigned>(holds_ / coupled_iterates);
  const bool anew = holds_ % coupled_iterates == 0 && std::has_single_bit(rounds);
  if (form_ == FrictionForm::lagged || !stays_held() || anew) held_ = points(u);
  if (form_ == FrictionForm::lagged) return;
  std::vector<Pull> next(held_.list.size());
  in_pieces(
      next.size(), points_in_a_piece,
      [&](std::size_t k) {
        const Point& p = held_.list[k];
        const Vec3 y = slip(held_, p, u);
        next[k] = {p.pair, y, next_pull(p, y)};
      },
      point_cost);
  std::sort(next.begin(), next.end(), [](const Pull& a, const Pull& b) { return a.pair < b.pair; });
  pulls_ = std::move(next);
}

bool Friction::couple_again() {
  if (form_ == FrictionForm::lagged || !stays_held()) return false;
  holds_ = 0;
  return true;
}

const Friction::Pull* Friction::pull(const Point& p) const {
  const auto it = std::lower_bound(pulls_.begin(), pulls_.end(), p.pair,
                                   [](const Pull& a, const auto& pair) { return a.pair < pair; });
  return it != pulls_.end() && it->pair == p.pair ? &*it : nullptr;
}

/// η w = y to first order at the last iterate: w⁺ = (y⁺ − η' ŷ·(y⁺ − y) w)/η.
Vec3 Friction::next_pull(const Point& p, const Vec3& y) const {
  const Pull* last = pull(p);
  if (last == nullptr) return friction_factor(y.norm(), eps_) * y;
  const double speed = last->y.norm();
  Vec3 w = y;
  if (speed > 0) w -= slip_scale_slope(speed, eps_) * last->y.dot(y - last->y) / speed * last->w;
  w *= friction_factor(speed, eps_);
  return w.norm() > 1 ? w.normalized() : w;
}

Vec3 Friction::relative_velocity(const Points& all, const Point& p, const State& u) const {
  const auto nodes = all.nodes_of(p);
  const auto w = all.weights_of(p);
  Vec3 v = -p.surface;
  for (std::size_t i = 0; i < p.count; ++i)
    if (w[i] != 0) v += w[i] * collisions_->velocity(nodes[i], u.v, u.t);
  return v;
}

Vec3 Friction::slip(const Points& all, const Point& p, const State& u) const {
  const Vec3 v = relative_velocity(all, p, u);
  return v - p.n.dot(v) * p.n;
}

Vec3 Friction::force(const Point& p, const Vec3& y) const { return -p.pressure * friction_factor(y.norm(), eps_) * y; }

void Friction::add_couplings_at(const State&, Couplings& now) const {
  if (!stays_held()) return;
  const int N = collisions_->scene().body_nodes;
  for (const Point& p : held_.list) {
    const auto nodes = held_.nodes_of(p);
    for (std::size_t a = 0; a < p.count; ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (nodes[a] < N && nodes[b] < N) now.emplace_back(nodes[a], nodes[b]);
  }
}

std::optional<Potentials> Friction::potentials(const State& u) const {
  return Potentials{.dissipated = ordered_sum(
                        static_cast<Index>(held_.list.size()),
                        [&](Index k) {
                          const Point& p = held_.list[static_cast<std::size_t>(k)];
                          return p.pressure * friction_potential(slip(held_, p, u).norm(), eps_);
                        },
                        point_cost)};
}

double Friction::friction_power(const State& u) const {
  const Points all = points(u);
  double power = 0;
  for (const Point& p : all.list) {
    const double speed = slip(all, p, u).norm();
    power += p.pressure * friction_smoothing(speed, eps_).value * speed;
  }
  return power;
}

/// At the speed of the surfaces, with which friction itself is reckoned.
double Friction::driving_work(const Travel& step, const State& u) const {
  const int N = collisions_->scene().body_nodes;
  const Points all = points(u);
  double power = 0;
  for (const Point& p : all.list) {
    const Vec3 F = force(p, slip(all, p, u));
    power += F.dot(p.surface);
    for (std::size_t i = 0; i < p.count; ++i)
      if (const int node = all.nodes_of(p)[i]; node >= N)
        power -= all.weights_of(p)[i] * F.dot(collisions_->velocity(node, u.v, u.t));
  }
  return (step.b.t - step.a.t) * power;
}

void Friction::add_force(const State& u, Vector& f) const {
  const int N = collisions_->scene().body_nodes;
  const Points now = stays_held() ? Points{} : points(u);
  const Points& all = stays_held() ? held_ : now;
  std::vector<Vec3> F(all.list.size());
  in_pieces(
      F.size(), points_in_a_piece, [&](std::size_t k) { F[k] = force(all.list[k], slip(all, all.list[k], u)); },
      point_cost);
  for (std::size_t k = 0; k < F.size(); ++k)
    for (std::size_t i = 0; i < all.list[k].count; ++i)
      if (const int node = all.nodes_of(all.list[k])[i]; node < N)
        f.segment<3>(3 * static_cast<Index>(node)) += all.weights_of(all.list[k])[i] * F[k];
}

Mat3 Friction::resistance(const Points& all, const Point& p, const State& u) const {
  const Mat3 P = tangent_plane(p.n);
  const Vec3 y = slip(all, p, u);
  Mat3 G = friction_slope(y, eps_);
  if (const Pull* last = pull(p); last && !y.isZero(0)) {
    const double rate = slip_scale_slope(y.norm(), eps_) / 2;
    const Vec3 direction = y.normalized();
    G = Mat3::Identity() - rate * (last->w * direction.transpose() + direction * last->w.transpose());
    G *= friction_factor(y.norm(), eps_);
  }
  return p.pressure * P * G * P;
}

void Friction::add_damping(const Points& all, const State& u, TangentBuilder& T) const {
  const auto make = [&](std::size_t k, auto& m) {
    const Point& p = all.list[k];
    const auto nodes = all.nodes_of(p);
    const auto w = all.weights_of(p);
    const Mat3 G = resistance(all, p, u);
    m.resize(p.count);
    for (std::size_t a = 0; a < p.count; ++a) {
      m.nodes[a] = nodes[a] < collisions_->scene().body_nodes ? nodes[a] : -1;
      for (std::size_t b = 0; b < p.count; ++b)
        m.A.template block<3, 3>(3 * static_cast<Index>(a), 3 * static_cast<Index>(b)) = w[a] * w[b] * G;
    }
  };
  if (std::all_of(all.list.begin(), all.list.end(), [](const Point& p) { return p.count <= 4; }))
    T.add_damping<NodeMatrix>(all.list.size(), make);
  else
    T.add_damping<LargeNodeMatrix>(all.list.size(), make);
}

void Friction::add_tangent(const State& u, TangentBuilder& T) const {
  if (stays_held()) {
    add_damping(held_, u, T);
    return;
  }
  const Points now = points(u);
  add_damping(now, u, T);
  // A projected tangent is symmetric: that of friction that lags.
  if (!T.projected()) add_coupled_stiffness(now, u, T);
}

}  // namespace limber
