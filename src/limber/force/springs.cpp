#include "limber/force/springs.hpp"

#include <fmt/format.h>

#include <cmath>

#include "limber/core/parallel.hpp"
#include "limber/force/require.hpp"
#include "limber/force/turned.hpp"

namespace limber {

namespace {

constexpr std::size_t springs_a_piece = 256;
constexpr double spring_cost = 40;  // [ns]

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

/// visit(node, node, weight · weight) for all pairs.
template <class Visit>
void each_pair(const Spring& s, const Visit& visit) {
  each_node(s, [&](int a, double wa) { each_node(s, [&](int b, double wb) { visit(a, b, wa * wb); }); });
}

/// weight · weight · block for each pair of the spring's nodes, of which there are four at most.
void make_matrix(const Spring& s, const Mat3& block, NodeMatrix& m) {
  Index a = 0;
  m.nodes.fill(-1);
  each_node(s, [&](int node, double wa) {
    Index b = 0;
    m.nodes[static_cast<std::size_t>(a)] = node;
    each_node(s, [&](int, double wb) { m.A.block<3, 3>(3 * a, 3 * b++) = wa * wb * block; });
    ++a;
  });
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
    const bool is_short = s.a.count + s.b.count <= 4;
    (is_short ? short_ : long_).push_back(i);
    if (is_short && s.damping > 0) damped_.push_back(i);
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
  std::vector<Vec3> F(springs_.size());
  in_pieces(
      F.size(), springs_a_piece,
      [&](std::size_t k) {
        const Stretch e = stretch(springs_[k], u);
        F[k] = spring_force(springs_[k], e) + damping_force(springs_[k], e);
      },
      spring_cost);
  for (std::size_t k = 0; k < F.size(); ++k)
    each_node(springs_[k], [&](int i, double w) { f.segment<3>(3 * i) += w * F[k]; });
}

void PointSprings::add_tangent(const State& u, TangentBuilder& T) const {
  const auto definiteness = T.projected() ? Definiteness::projected : Definiteness::exact;
  add_stiffness(
      u, [&](const Spring& s, const Stretch& e) { return stiffness_block(s, e, definiteness); }, T);
  T.add_damping(damped_.size(), [&](std::size_t k, NodeMatrix& m) {
    const Spring& s = springs_[damped_[k]];
    make_matrix(s, damping_block(s, stretch(s, u)), m);
  });
  for (const std::size_t k : long_) {
    const Spring& s = springs_[k];
    if (s.damping == 0) continue;
    const Mat3 D = damping_block(s, stretch(s, u));
    each_pair(s, [&](int a, int b, double weight) { T.add_damping(a, b, weight * D); });
  }
}

void PointSprings::add_turned_stiffness(const State& start, double dt, TangentBuilder& T) const {
  const auto block = [dt](const Spring& s, const Stretch& e) -> Mat3 {
    if (s.rest_length == 0) return s.stiffness * Mat3::Identity();
    Eigen::Matrix<double, 3, 2> ends = Eigen::Matrix<double, 3, 2>::Zero(), rates = ends;
    ends.col(1) = e.d;
    rates.col(1) = e.rate;
    const Vec3 n = moved_on<2>(ends, rates, dt).col(1).normalized();
    return s.stiffness * n * n.transpose();
  };
  add_stiffness(start, block, T);
}

template <class BlockOf>
void PointSprings::add_stiffness(const State& u, const BlockOf& block, TangentBuilder& T) const {
  T.add_stiffness(short_.size(), [&](std::size_t k, NodeMatrix& m) {
    const Spring& s = springs_[short_[k]];
    make_matrix(s, block(s, stretch(s, u)), m);
  });
  for (const std::size_t k : long_) {
    const Spring& s = springs_[k];
    const Mat3 K = block(s, stretch(s, u));
    each_pair(s, [&](int a, int b, double weight) { T.add_stiffness(a, b, weight * K); });
  }
}

template <class Term>
double PointSprings::sum(const State& u, const Term& term) const {
  return ordered_sum(
      static_cast<Index>(springs_.size()),
      [&](Index i) {
        const Spring& s = springs_[static_cast<std::size_t>(i)];
        return term(s, stretch(s, u));
      },
      spring_cost);
}

std::optional<Potentials> PointSprings::potentials(const State& u) const {
  Potentials p;
  p.stored = sum(u, [](const Spring& s, const Stretch& e) {
    const double longer = e.length - s.rest_length;
    return s.stiffness / 2 * longer * longer;
  });
  p.dissipated = sum(u, [](const Spring& s, const Stretch& e) {
    return s.rest_length == 0 ? s.damping / 2 * e.rate.squaredNorm() : 0;
  });
  return p;
}

double PointSprings::damping_power(const State& u) const {
  return sum(u, [](const Spring& s, const Stretch& e) { return -damping_force(s, e).dot(e.rate); });
}

}  // namespace limber
