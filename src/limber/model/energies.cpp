#include "limber/model/energies.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "limber/core/nodes.hpp"
#include "limber/model/mechanical_system.hpp"
#include "limber/model/storing_force.hpp"

namespace limber {
namespace {

/// Relative uncertainty of the work of a force without a potential during a step, since the force may vary arbitrarily.
constexpr double known_to = .01;

/// The potential energy of a force; 0 if it has no potential.
double stored(const Force& force, const State& all) {
  const auto p = force.potentials(all);
  if (!p) return 0;
  const auto* storing = dynamic_cast<const StoringForce*>(&force);
  return storing ? storing->stored_energy(all) : p->stored;
}

/// ½ h (v_a + v_b) for free nodes, q_b − q_a for prescribed ones; 3N.
Vector way(const UnknownMap& map, const State& a, const State& b, const State& full_a, const State& full_b) {
  return full_b.q - full_a.q + map.spread(.5 * (b.t - a.t) * (a.v + b.v) - (b.q - a.q));
}

/// The work needed to move prescribed nodes against the forces f on all nodes, plus the change of their kinetic energy.
/// Masses that couple them with free nodes are accelerated by the mean acceleration of these.
double work_of_scripts(const MechanicalSystem& system, const State& a, const State& b, const Vector& f) {
  const UnknownMap& map = system.map();
  double work = 0;
  const auto held = [&](int node, const Vec3& x) -> Vec3 { return x - map.free_part(node, x); };
  const auto change = [&](const Vector& to, const Vector& from, int node) -> Vec3 {
    return block(to, node) - block(from, node);
  };
  for (const int node : map.prescribed_nodes()) work -= block(f, node).dot(held(node, change(b.q, a.q, node)));
  const double h = b.t - a.t;
  const auto drag = [&](int p, int free) {
    return map.free_part(free, change(b.v, a.v, free)).dot(held(p, change(b.q, a.q, p))) / h;
  };
  for (const auto& m : system.masses().list) {
    if (map.prescribed_index(m.a) < 0 && map.prescribed_index(m.b) < 0) continue;
    const auto both = [&](const Vector& v) { return held(m.a, block(v, m.a)).dot(held(m.b, block(v, m.b))); };
    work += (m.a == m.b ? .5 : 1) * m.m * (both(b.v) - both(a.v));
    if (m.a != m.b) work += m.m * (drag(m.a, m.b) + drag(m.b, m.a));
  }
  return work;
}

/// The contribution of this process, if all forces act as at the full state u.
double work_put_in_at(const MechanicalSystem& system, const Travel& step, const State& u,
                      double* of_other_forces = nullptr) {
  double work = 0;
  Vector free;
  for (const auto& f : system.forces().all()) {
    const Force& force = *f;
    const auto traits = force.traits();
    if (!dynamic_cast<const ContactForce*>(&force) && !traits.has_potential && !traits.dissipates) {
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
  if (system.scripted()) work += work_of_scripts(system, step.a, step.b, system.full_force(u));
  return work;
}

}  // namespace

Energies energies(const MechanicalSystem& system, const State& u) {
  const State all = system.full(u);
  Energies e;
  for (const auto& m : system.masses().list)
    e.kinetic += (m.a == m.b ? 0.5 : 1) * m.m * block(all.v, m.a).dot(block(all.v, m.b));
  for (const auto& force : system.forces().all()) {
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
  system.space().processes().sum(sums);
  return {sums[0], sums[1], sums[2], sums[3], sums[4]};
}

double elastic_rounding(const MechanicalSystem& system, const State& u) {
  State all = system.full(u);
  const double length = system.length_scale();
  const auto elastic = [&] {
    double sum = 0;
    for (const auto& force : system.forces().all())
      if (force->traits().energy == EnergyKind::elastic) sum += stored(*force, all);
    return system.space().sum(sum);
  };
  const double here = elastic();
  const Vec3 shift = length * Vec3(1 / std::numbers::pi, 1 / std::numbers::e, 1 / std::numbers::sqrt3);
  double most = 0;
  // Shifts the body as a whole, and each coordinate by about a rounding error: one shift alone may be rounded by less.
  for (int k = 0; k < 5; ++k) {
    for (Index i = 0; i < all.q.size(); i += 3) all.q.segment<3>(i) += shift;
    for (Index i = 0; i < all.q.size(); ++i) all.q[i] += 1e-15 * length * std::sin(static_cast<double>(i + k));
    most = std::max(most, std::abs(elastic() - here));
  }
  return most;
}

double damping_power(const MechanicalSystem& system, const State& u) {
  const State all = system.full(u);
  double power = 0;
  for (const DampingForce* force : system.forces().damping()) power += force->damping_power(all);
  return system.space().sum(power);
}

double friction_power(const MechanicalSystem& system, const State& u) {
  if (!system.traits().contact) return 0;
  const State all = system.full(u);
  double power = 0;
  for (const ContactForce* force : system.forces().contact()) power += force->friction_power(all);
  return system.space().sum(power);
}

WorkPutIn work_put_in(const MechanicalSystem& system, const State& from, const State& to,
                      std::span<const ActingState> acting) {
  if (system.space().all(!system.traits().time_dependent && system.forces().traits(ForceGroup::all).has_potential))
    return {};
  const State a = system.full(from), b = system.full(to);
  const Vector moved = way(system.map(), from, to, a, b);
  const Travel step{a, b, moved};
  // With the forces at the start, at the end, and at the `acting` states.
  double of_other_forces = 0;  // forces without a potential; sum of magnitudes
  std::array<double, 4> sums = {work_put_in_at(system, step, a), work_put_in_at(system, step, b, &of_other_forces), 0,
                                0};
  for (const auto& [u, weight] : acting) {
    const double work = u == &from ? sums[0] : u == &to ? sums[1] : work_put_in_at(system, step, system.full(*u));
    sums[2] += weight * work;
  }
  sums[3] = of_other_forces;
  system.space().processes().sum(sums);
  const double between = std::max({0.0, sums[1] - sums[2], .5 * (sums[0] + sums[1]) - sums[2]});
  return {sums[2], between + known_to * sums[3]};
}

Vector reactions(const MechanicalSystem& system, const State& u) {
  const UnknownMap& map = system.map();
  const Space& space = map.space();
  const auto &prescribed = map.prescribed_nodes(), &in_scene = map.prescribed_in_scene();
  const Vector f = system.full_force(system.full(u));
  const Vector a = map.spread(system.solve_mass(system.free_force(f, u.t)));
  const PrescribedMotion p = system.prescribed(u.t);
  const auto acceleration = [&](int i) -> Vec3 {
    const int k = map.prescribed_index(i);
    if (k < 0) return block(a, i);
    return map.guide(i) ? Vec3(block(a, i) + block(p.a, k)) : Vec3(block(p.a, k));
  };
  Vector r(3 * static_cast<Index>(prescribed.size()));
  for (int i = 0; i < static_cast<int>(prescribed.size()); ++i) block(r, i) = -block(f, prescribed[ix(i)]);
  for (const auto& m : system.masses().list) {
    if (const int i = map.prescribed_index(m.a); i >= 0) block(r, i) += m.m * acceleration(m.b);
    if (const int i = map.prescribed_index(m.b); i >= 0 && m.a != m.b) block(r, i) += m.m * acceleration(m.a);
  }
  for (const GuidedNode& g : map.guided_nodes()) {
    const int i = map.prescribed_index(g.node);
    block(r, i) -= map.free_part(g.node, block(r, i));
  }
  Vector sum = Vector::Zero(3 * static_cast<Index>(in_scene.size()));
  for (int i = 0; i < static_cast<int>(prescribed.size()); ++i) {
    const auto place =
        std::lower_bound(in_scene.begin(), in_scene.end(), map.holders().scene_number(prescribed[ix(i)]));
    block(sum, static_cast<int>(place - in_scene.begin())) = block(r, i);
  }
  space.processes().sum({sum.data(), static_cast<std::size_t>(sum.size())});
  return sum;
}

double total_mass(const MechanicalSystem& system) {
  double sum = 0;
  for (const auto& m : system.masses().list) sum += (m.a == m.b ? 1 : 2) * m.m;
  return system.space().sum(sum);
}

}  // namespace limber
