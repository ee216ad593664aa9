#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "limber/core/nodes.hpp"
#include "limber/model/mechanical_system.hpp"
#include "limber/model/storing_force.hpp"

namespace limber {
namespace {

/// How well the work of a force without a potential is known in a step: it may change on the way as it likes.
constexpr double known_to = .01;

/// What a force stores; 0 if it has no potential.
double stored(const Force& force, const State& all) {
  const auto p = force.potentials(all);
  if (!p) return 0;
  const auto* storing = dynamic_cast<const StoringForce*>(&force);
  return storing ? storing->stored_energy(all) : p->stored;
}

}  // namespace

Energies MechanicalSystem::energies(const State& u) const {
  const State all = full(u);
  Energies e;
  for (const auto& m : masses_) e.kinetic += (m.a == m.b ? 0.5 : 1) * m.m * block(all.v, m.a).dot(block(all.v, m.b));
  for (const auto& force : forces_) {
    const double W = stored(*force, all);
    switch (force->traits().energy) {
      case EnergyKind::elastic:
        e.elastic += W;
        break;
      case EnergyKind::gravitational:
        e.gravitational += W;
        break;
      case EnergyKind::contact:
        e.contact += W;
        break;
      case EnergyKind::other:
        e.other += W;
        break;
    }
  }
  std::array<double, 5> sums = {e.kinetic, e.elastic, e.gravitational, e.contact, e.other};
  space_.processes().sum(sums);
  return {sums[0], sums[1], sums[2], sums[3], sums[4]};
}

double MechanicalSystem::elastic_rounding(const State& u) const {
  State all = full(u);
  const auto elastic = [&] {
    double sum = 0;
    for (const auto& force : forces_)
      if (force->traits().energy == EnergyKind::elastic) sum += stored(*force, all);
    return space_.sum(sum);
  };
  const double here = elastic();
  const Vec3 shift = length_scale_ * Vec3(1 / std::numbers::pi, 1 / std::numbers::e, 1 / std::numbers::sqrt3);
  double most = 0;
  // Shifted as a whole, and by about a rounding error each: one alone may be rounded by less.
  for (int k = 0; k < 5; ++k) {
    for (Index i = 0; i < all.q.size(); i += 3) all.q.segment<3>(i) += shift;
    for (Index i = 0; i < all.q.size(); ++i) all.q[i] += 1e-15 * length_scale_ * std::sin(static_cast<double>(i + k));
    most = std::max(most, std::abs(elastic() - here));
  }
  return most;
}

double MechanicalSystem::damping_power(const State& u) const {
  const State all = full(u);
  double power = 0;
  for (const ForceRoles& f : roles_)
    if (f.damping) power += f.damping->damping_power(all);
  return space_.sum(power);
}

double MechanicalSystem::friction_power(const State& u) const {
  if (!contact_) return 0;
  const State all = full(u);
  double power = 0;
  for (const ForceRoles& f : roles_)
    if (f.contact) power += f.contact->friction_power(all);
  return space_.sum(power);
}

WorkPutIn MechanicalSystem::work_put_in(const State& from, const State& to, std::span<const ActingState> acting) const {
  if (!space_.shared() && !time_dependent_ && all_forces_.has_potential) return {};
  const State a = full(from), b = full(to);
  const Vector moved = way(from, to, a, b);
  const Travel step{a, b, moved};
  // At the start, at the end, and as the states act that are asked for.
  double of_other_forces = 0;  // those without a potential, without regard to signs
  std::array<double, 4> sums = {work_put_in_at(step, a), work_put_in_at(step, b, &of_other_forces), 0, 0};
  for (const auto& [u, weight] : acting) {
    const double work = u == &from ? sums[0] : u == &to ? sums[1] : work_put_in_at(step, full(*u));
    sums[2] += weight * work;
  }
  sums[3] = of_other_forces;
  space_.processes().sum(sums);
  const double between = std::max({0.0, sums[1] - sums[2], .5 * (sums[0] + sums[1]) - sums[2]});
  return {sums[2], between + known_to * sums[3]};
}

Vector MechanicalSystem::way(const State& a, const State& b, const State& full_a, const State& full_b) const {
  return full_b.q - full_a.q + spread(.5 * (b.t - a.t) * (a.v + b.v) - (b.q - a.q));
}

double MechanicalSystem::work_put_in_at(const Travel& step, const State& u, double* of_other_forces) const {
  double work = 0;
  Vector free;
  for (std::size_t k = 0; k < forces_.size(); ++k) {
    const Force& force = *forces_[k];
    const auto traits = force.traits();
    if (!roles_[k].contact && !traits.has_potential && !traits.dissipates) {
      if (free.size() == 0) free = Vector::Zero(u.q.size());
      force.add_force(u, free);
    } else if (traits.time_dependent && traits.has_potential && !dynamic_cast<const StoringForce*>(&force)) {
      work += force.driving_work(step, u);
    }
  }
  if (free.size() > 0) {
    work += free.dot(step.way);
    if (of_other_forces) *of_other_forces = free.cwiseProduct(step.way).cwiseAbs().sum();
  }
  if (scripted_) work += work_of_scripts(step.a, step.b, full_force(u, forces_));
  return work;
}

/// With the forces f on all nodes: what prescribed nodes need to go on as they do, and the change of their kinetic
/// energy. Masses that couple them with free nodes count with the mean acceleration of these.
double MechanicalSystem::work_of_scripts(const State& a, const State& b, const Vector& f) const {
  double work = 0;
  const auto held = [&](int node, const Vec3& x) -> Vec3 { return x - free_part(node, x); };
  const auto change = [&](const Vector& to, const Vector& from, int node) -> Vec3 {
    return block(to, node) - block(from, node);
  };
  for (const int node : prescribed_nodes_) work -= block(f, node).dot(held(node, change(b.q, a.q, node)));
  const double h = b.t - a.t;
  const auto drag = [&](int p, int free) {
    return free_part(free, change(b.v, a.v, free)).dot(held(p, change(b.q, a.q, p))) / h;
  };
  for (const auto& m : masses_) {
    if (prescribed_index_[ix(m.a)] < 0 && prescribed_index_[ix(m.b)] < 0) continue;
    const auto both = [&](const Vector& v) { return held(m.a, block(v, m.a)).dot(held(m.b, block(v, m.b))); };
    work += (m.a == m.b ? .5 : 1) * m.m * (both(b.v) - both(a.v));
    if (m.a != m.b) work += m.m * (drag(m.a, m.b) + drag(m.b, m.a));
  }
  return work;
}

Vector MechanicalSystem::reactions(const State& u) const {
  const State all = full(u);
  const Vector f = full_force(all, forces_);
  const Vector a = spread(solve_mass(free_force(f, u.t)));
  const Prescribed p = prescribed(u.t);
  const auto acceleration = [&](int i) -> Vec3 {
    const int k = prescribed_index_[ix(i)];
    if (k < 0) return block(a, i);
    return guided(i) ? Vec3(block(a, i) + block(p.a, k)) : Vec3(block(p.a, k));
  };
  Vector r(3 * static_cast<Index>(prescribed_nodes_.size()));
  for (int i = 0; i < static_cast<int>(prescribed_nodes_.size()); ++i)
    block(r, i) = -block(f, prescribed_nodes_[ix(i)]);
  for (const auto& m : masses_) {
    if (const int i = prescribed_index_[ix(m.a)]; i >= 0) block(r, i) += m.m * acceleration(m.b);
    if (const int i = prescribed_index_[ix(m.b)]; i >= 0 && m.a != m.b) block(r, i) += m.m * acceleration(m.a);
  }
  for (const GuidedNode& g : guided_) {
    const int i = prescribed_index_[ix(g.node)];
    block(r, i) -= free_part(g.node, block(r, i));
  }
  if (!space_.shared()) return r;
  Vector sum = Vector::Zero(3 * static_cast<Index>(prescribed_in_scene_.size()));
  for (int i = 0; i < static_cast<int>(prescribed_nodes_.size()); ++i) {
    const auto place = std::lower_bound(prescribed_in_scene_.begin(), prescribed_in_scene_.end(),
                                        holders_.scene_number(prescribed_nodes_[ix(i)]));
    block(sum, static_cast<int>(place - prescribed_in_scene_.begin())) = block(r, i);
  }
  space_.processes().sum({sum.data(), static_cast<std::size_t>(sum.size())});
  return sum;
}

double MechanicalSystem::total_mass() const {
  double sum = 0;
  for (const auto& m : masses_) sum += (m.a == m.b ? 1 : 2) * m.m;
  return space_.sum(sum);
}

}  // namespace limber
