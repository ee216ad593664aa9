#include "limber/contact/forces/barrier_force.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "limber/contact/forces/barrier.hpp"
#include "limber/core/extremes.hpp"
#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"

namespace limber {
namespace {

using Kind = Collision::Kind;

/// By matrices of any size: those of fixed size would take the compiler long, and this is rarely asked for.
Mat12 positive_part(const Mat12& H) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen{Matrix(H)};
  const Matrix& V = eigen.eigenvectors();
  const Matrix scaled = V * eigen.eigenvalues().cwiseMax(0).asDiagonal();
  return scaled * V.transpose();
}

/// ∇ of m b(gap), divided by κ.
Vec12 gradient(const Collision& c, const Jet& b, const Vector& x) {
  Vec12 g = c.eps_x == 0 ? Vec12(b.first * gradient(c.nearest)) : Vec12::Zero();
  if (c.eps_x != 0) {
    const Mollifier m = mollifier(c, x);
    g = m.value * b.first * gradient(c.nearest) + b.value * m.gradient;
  }
  return g;
}

Mat12 hessian(const Collision& c, const Jet& b, const Vector& x, Definiteness d) {
  if (c.kind == Kind::obstacle) {
    Mat12 H = Mat12::Zero();
    const Vec3& n = c.normal();
    Mat3 block = b.second * n * n.transpose() + b.first * c.curvature;
    if (d == Definiteness::projected) {
      const Eigen::SelfAdjointEigenSolver<Mat3> eigen(block);
      block = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() * eigen.eigenvectors().transpose();
    }
    H.topLeftCorner<3, 3>() = block;
    return H;
  }
  const double plain = c.eps_x == 0 ? 1 : mollifier_value(c, x);
  if (plain == 1)
    return d == Definiteness::projected ? compose_projected(c.nearest, b.first, b.second, c.count)
                                        : compose(c.nearest, b.first, b.second, c.count);
  const Mollifier m = mollifier(c, x);
  const Vec12 g = gradient(c.nearest);
  Mat12 H = compose(c.nearest, m.value * b.first, m.value * b.second) + b.value * m.hessian;
  H += b.first * (g * m.gradient.transpose() + m.gradient * g.transpose());
  return d == Definiteness::projected ? positive_part(H) : H;
}

}  // namespace

Mollifier mollifier(const Collision& c, const Vector& x) {
  if (c.eps_x == 0) return {};
  return edge_mollifier(point(x, c.nodes[0]), point(x, c.nodes[1]), point(x, c.nodes[2]), point(x, c.nodes[3]),
                        c.eps_x);
}

double mollifier_value(const Collision& c, const Vector& x) {
  if (c.eps_x == 0) return 1;
  return edge_mollifier_value(point(x, c.nodes[0]), point(x, c.nodes[1]), point(x, c.nodes[2]), point(x, c.nodes[3]),
                              c.eps_x);
}

ForceTraits BarrierForce::traits() const {
  return {.time_dependent = collisions_->moves(), .wholly_implicit = true, .energy = EnergyKind::contact};
}

std::optional<Potentials> BarrierForce::potentials(const State& u) const {
  const Vector x = collisions_->positions(u.q, u.t);
  const auto collisions = collisions_->own(u.q, u.t);
  return Potentials{.stored = ordered_sum(
                        static_cast<Index>(collisions.size()),
                        [&](Index k) {
                          const Collision& c = collisions[static_cast<std::size_t>(k)];
                          const double delta = collisions_->delta(c), b = barrier(c.gap, delta).value;
                          return stiffness_->of(c, delta) * c.pairs * (std::isinf(b) ? b : b * mollifier_value(c, x));
                        },
                        collision_cost)};
}

void BarrierForce::add_force(const State& u, Vector& f) const {
  const Vector x = collisions_->positions(u.q, u.t);
  const auto collisions = collisions_->own(u.q, u.t);
  std::vector<Vec12> g(collisions.size());
  in_pieces(
      collisions.size(), collisions_a_piece,
      [&](std::size_t k) {
        const Collision& c = collisions[k];
        const double delta = collisions_->delta(c);
        g[k] = stiffness_->of(c, delta) * c.pairs * gradient(c, barrier(c.gap, delta), x);
      },
      collision_cost);
  for (std::size_t k = 0; k < collisions.size(); ++k) {
    const auto nodes = collisions_->body_nodes(collisions[k].nodes);
    for (std::size_t i = 0; i < 4; ++i)
      if (nodes[i] >= 0) f.segment<3>(3 * static_cast<Index>(nodes[i])) -= g[k].segment<3>(3 * static_cast<Index>(i));
  }
}

void BarrierForce::add_tangent(const State& u, TangentBuilder& T) const {
  const Vector x = collisions_->positions(u.q, u.t);
  const auto collisions = collisions_->own(u.q, u.t);
  const auto d = T.projected() ? Definiteness::projected : Definiteness::exact;
  T.add_stiffness(collisions.size(), [&](std::size_t k, NodeMatrix& m) {
    const Collision& c = collisions[k];
    m.nodes = collisions_->body_nodes(c.nodes);
    const double delta = collisions_->delta(c);
    m.A = stiffness_->of(c, delta) * c.pairs * hessian(c, barrier(c.gap, delta), x, d);
  });
}

ContactStiffness::Depths BarrierForce::depths(const State& u) const {
  const Vector x = collisions_->positions(u.q, u.t);
  ContactStiffness::Depths depths;
  for (const Collision& c : collisions_->at(u.q, u.t)) {
    const double delta = collisions_->delta(c), kappa = stiffness_->of(c, delta) * c.pairs * mollifier_value(c, x);
    const Jet b = barrier(c.gap, delta);
    depths.add(c.objects, c.gap, delta, kappa * b.value, -kappa * b.first);
  }
  return depths;
}

double BarrierForce::driving_work(const Travel& step, const State& u) const {
  const double t0 = step.a.t, t1 = step.b.t;
  const Vector x = collisions_->positions(u.q, u.t);
  const Vector travel = collisions_->positions(u.q, t1) - collisions_->positions(u.q, t0);
  const int N = collisions_->scene().body_nodes;
  double work = 0;
  for (const Collision& c : collisions_->own(u.q, u.t)) {
    const double delta = collisions_->delta(c), kappa = stiffness_->of(c, delta) * c.pairs;
    const Jet b = barrier(c.gap, delta);
    if (c.obstacle >= 0) {
      const Vec3 p = point(u.q, c.nodes[0]);
      work +=
          kappa * b.first * (collisions_->pose(c.obstacle, t1).value(p) - collisions_->pose(c.obstacle, t0).value(p));
      continue;
    }
    if (std::all_of(c.nodes.begin(), c.nodes.begin() + c.count, [&](int node) { return node < N; })) continue;
    const Vec12 g = kappa * gradient(c, b, x);
    for (int i = 0; i < c.count; ++i)
      if (const int node = c.nodes[static_cast<std::size_t>(i)]; node >= N)
        work += g.segment<3>(3 * i).dot(point(travel, node));
  }
  return work;
}

double BarrierForce::smallest_gap(const State& u) const {
  double gap = std::numeric_limits<double>::infinity();
  for (const Collision& c : collisions_->at(u.q, u.t)) gap = min_or_nan(gap, c.gap);
  return gap;
}

}  // namespace limber
