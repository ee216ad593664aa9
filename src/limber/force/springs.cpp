#include "limber/force/springs.hpp"

#include <fmt/format.h>

#include <cmath>

#include "limber/force/require.hpp"

namespace limber {

namespace {

Vec3 mean(const WeightedPoint& p, const Vector& x) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < static_cast<std::size_t>(p.count); ++i)
    sum += p.weights[i] * x.segment<3>(3 * p.nodes[i]);
  return sum;
}

/// The spring's vector, its rate, its length and its direction. Where a spring with a rest length has shrunk to a
/// point it has no direction: n = 0, and it pulls nowhere.
struct Stretch {
  Vec3 d, rate, n;
  double length;
  bool point;
};

Stretch stretch(const Spring& s, const State& u) {
  Stretch e{mean(s.a, u.q) - mean(s.b, u.q), mean(s.a, u.v) - mean(s.b, u.v), Vec3::Zero(), 0, false};
  e.length = e.d.norm();
  e.point = e.length <= 1e-14 * s.rest_length;
  if (!e.point && s.rest_length > 0) e.n = e.d / e.length;
  return e;
}

Vec3 damping_force(const Spring& s, const Stretch& e) {
  if (s.rest_length == 0) return -s.damping * e.rate;
  return -s.damping * e.n.dot(e.rate) * e.n;
}

Vec3 spring_force(const Spring& s, const Stretch& e) {
  if (s.rest_length == 0) return -s.stiffness * e.d;
  return -s.stiffness * (e.length - s.rest_length) * e.n;
}

/// −∂F/∂d of the force F on A.
Mat3 stiffness_block(const Spring& s, const Stretch& e, Definiteness definiteness) {
  if (s.rest_length == 0 || e.point) return s.stiffness * Mat3::Identity();
  const Mat3 along = e.n * e.n.transpose(), across = Mat3::Identity() - along;
  double geometric = 1 - s.rest_length / e.length;
  if (definiteness == Definiteness::projected) geometric = std::max(geometric, 0.0);
  Mat3 K = s.stiffness * (along + geometric * across);
  if (definiteness == Definiteness::exact && s.damping > 0)
    K += s.damping / e.length * (e.n * (across * e.rate).transpose() + e.n.dot(e.rate) * across);
  return K;
}

Mat3 damping_block(const Spring& s, const Stretch& e) {
  if (s.rest_length == 0) return s.damping * Mat3::Identity();
  return s.damping * e.n * e.n.transpose();
}

/// visit(node, weight) with B's weights negative: d = Σ weight · x.
template <class Visit>
void each_node(const Spring& s, const Visit& visit) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(s.a.count); ++i) visit(s.a.nodes[i], s.a.weights[i]);
  for (std::size_t i = 0; i < static_cast<std::size_t>(s.b.count); ++i) visit(s.b.nodes[i], -s.b.weights[i]);
}

void check_point(const WeightedPoint& p, int nodes, const std::string& where) {
  if (p.count < 1 || p.count > 4) throw InputError(where, fmt::format("a point has 1 to 4 nodes, not {}", p.count));
  double sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(p.count); ++i) {
    if (p.nodes[i] < 0 || p.nodes[i] >= nodes)
      throw InputError(where, fmt::format("node {} is outside 0…{}", p.nodes[i], nodes - 1));
    sum += p.weights[i];
  }
  if (!(std::abs(sum - 1) <= 1e-9)) throw InputError(where, fmt::format("weights sum to {}, not to 1", sum));
}

}  // namespace

Vec3 WeightedPoint::position(const Vector& q) const { return mean(*this, q); }

std::vector<Spring> network_springs(const std::vector<std::array<int, 2>>& edges, const Vector& q, double stiffness,
                                    double damping) {
  std::vector<Spring> springs;
  springs.reserve(edges.size());
  for (const auto& [a, b] : edges) {
    const double length = (q.segment<3>(3 * a) - q.segment<3>(3 * b)).norm();
    springs.push_back({WeightedPoint::node(a), WeightedPoint::node(b), stiffness, length, damping});
  }
  return springs;
}

PointSprings::PointSprings(std::vector<Spring> springs, int nodes, EnergyKind energy, const std::string& where)
    : springs_(std::move(springs)), energy_(energy) {
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    const Spring& s = springs_[i];
    const std::string here = fmt::format("{}[{}]", where, i);
    require_not_negative(s.stiffness, here + ".stiffness");
    require_not_negative(s.rest_length, here + ".rest_length");
    require_not_negative(s.damping, here + ".damping");
    check_point(s.a, nodes, here + ".a");
    check_point(s.b, nodes, here + ".b");
  }
}

ForceTraits PointSprings::traits() const {
  ForceTraits traits{.energy = energy_};
  for (const Spring& s : springs_) {
    if (s.damping == 0) continue;
    traits.velocity_dependent = true;
    if (s.rest_length == 0) continue;
    traits.symmetric = traits.has_potential = false;
    traits.dissipates = true;
  }
  return traits;
}

void PointSprings::add_couplings(std::vector<std::pair<int, int>>& pairs) const {
  for (const Spring& s : springs_)
    each_node(s, [&](int a, double) { each_node(s, [&](int b, double) { pairs.emplace_back(a, b); }); });
}

void PointSprings::add_force(const State& u, Vector& f) const {
  for (const Spring& s : springs_) {
    const Stretch e = stretch(s, u);
    const Vec3 F = spring_force(s, e) + damping_force(s, e);
    each_node(s, [&](int i, double w) { f.segment<3>(3 * i) += w * F; });
  }
}

void PointSprings::add_tangent(const State& u, TangentBuilder& T) const {
  const auto definiteness = T.projected() ? Definiteness::projected : Definiteness::exact;
  for (const Spring& s : springs_) {
    const Stretch e = stretch(s, u);
    const Mat3 K = stiffness_block(s, e, definiteness), D = damping_block(s, e);
    each_node(s, [&](int a, double wa) {
      each_node(s, [&](int b, double wb) {
        T.add_stiffness(a, b, wa * wb * K);
        if (s.damping > 0) T.add_damping(a, b, wa * wb * D);
      });
    });
  }
}

std::optional<Potentials> PointSprings::potentials(const State& u) const {
  Potentials sum;
  for (const Spring& s : springs_) {
    const Stretch e = stretch(s, u);
    const double longer = e.length - s.rest_length;
    sum.stored += s.stiffness / 2 * longer * longer;
    if (s.rest_length == 0) sum.dissipated += s.damping / 2 * e.rate.squaredNorm();
  }
  return sum;
}

double PointSprings::damping_power(const State& u) const {
  double power = 0;
  for (const Spring& s : springs_) {
    const Stretch e = stretch(s, u);
    power -= damping_force(s, e).dot(e.rate);
  }
  return power;
}

}  // namespace limber
