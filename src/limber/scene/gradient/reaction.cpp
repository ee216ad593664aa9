#include "limber/scene/gradient/reaction.hpp"

#include <algorithm>
#include <numeric>

#include "limber/core/nodes.hpp"
#include "limber/gradient/stage_tangent.hpp"

namespace limber {
namespace {

struct Pulled {
  Vector q, v;
};

/// (∂f/∂q)ᵀ z and (∂f/∂v)ᵀ z of a force whose tangent is symmetric: its derivative along z, a difference of fourth
/// order.
void add_along(const Force& force, const State& full, const Vector& z, double length, Pulled& to) {
  const double most = z.lpNorm<Eigen::Infinity>();
  if (most == 0) return;
  const auto slope = [&](double unit, Vector State::*part) {
    const auto over = [&](double s) {
      Vector ahead = Vector::Zero(z.size()), behind = ahead;
      State u = full;
      (u.*part) += s * z;
      force.add_force(u, ahead);
      (u.*part) -= 2 * s * z;
      force.add_force(u, behind);
      return Vector((ahead - behind) / (2 * s));
    };
    const double s = 1e-4 * unit / most;
    return Vector((4 * over(s) - over(2 * s)) / 3);
  };
  to.q += slope(length, &State::q);
  if (force.traits().velocity_dependent) to.v += slope(length, &State::v);
}

/// The same of any force, from its tangent on all nodes. `pairs`: what contact couples, friction of one force as well.
void add_by_tangent(const Force& force, Couplings pairs, const State& full, const Vector& z, Pulled& to) {
  const int n = static_cast<int>(z.size() / 3);
  std::vector<int> all(ix(n));
  std::iota(all.begin(), all.end(), 0);
  force.add_couplings(pairs);
  const BlockPattern pattern(n, pairs, Storage::full);
  SparseMatrix K = pattern.zero(), D = pattern.zero(), N;
  std::vector<RankOne> low_rank;
  TangentBuilder T(pattern, all, Definiteness::exact, K.valuePtr(), D.valuePtr(), {&pattern, &N}, &low_rank);
  force.add_tangent(full, T);
  to.q -= K.transpose() * z;
  if (N.nonZeros() > 0) to.q -= N.transpose() * z;
  for (const RankOne& part : low_rank) to.q -= part.c * part.u.dot(z) * part.u;
  to.v -= D.transpose() * z;
}

Pulled pulled(const MechanicalSystem& system, const State& full, const Vector& z) {
  Pulled sum{Vector::Zero(z.size()), Vector::Zero(z.size())};
  Couplings touching;
  for (const ContactForce* contact : system.forces().contact()) contact->add_couplings_at(full, touching);
  for (const auto& force : system.forces().all()) {
    const ForceTraits traits = force->traits();
    if (!traits.symmetric || traits.lag != Lag::none || dynamic_cast<const ContactForce*>(force.get()))
      add_by_tangent(*force, touching, full, z, sum);
    else
      add_along(*force, full, z, system.length_scale(), sum);
  }
  return sum;
}

}  // namespace

Vector mass_times(const MechanicalSystem& system, const Vector& x) {
  Vector y = Vector::Zero(x.size());
  for (const NodalMass& m : system.masses().list) {
    block(y, m.a) += m.m * block(x, m.b);
    if (m.a != m.b) block(y, m.b) += m.m * block(x, m.a);
  }
  return y;
}

ReactionSum reaction_sum(MechanicalSystem& system, const State& full, const Vector& c) {
  const UnknownMap& map = system.map();
  const State u = system.state(full.q, full.v, full.t);
  settle_friction(system, u);
  const Vector f = system.full_force(full);
  Vector a = map.spread(system.solve_mass(system.free_force(f, u.t)));
  const Vector prescribed = system.prescribed(u.t).a;
  const std::vector<int>& nodes = map.prescribed_nodes();
  for (std::size_t p = 0; p < nodes.size(); ++p) block(a, nodes[p]) += block(prescribed, static_cast<int>(p));
  const Vector y = c - map.spread(system.solve_mass(map.gather(mass_times(system, c))));
  ReactionSum sum;
  sum.value = y.dot(mass_times(system, a) - f);
  Pulled by_state = pulled(system, full, -y);
  sum.by_positions = std::move(by_state.q);
  sum.by_velocities = std::move(by_state.v);
  const Vector My = mass_times(system, y);
  sum.by_accelerations = Vector::Zero(c.size());
  for (const int node : nodes) block(sum.by_accelerations, node) = block(My, node);
  sum.quantity = {.u = u, .full = full, .energy = 0, .along = -y, .left = y, .right = a};
  return sum;
}

}  // namespace limber
