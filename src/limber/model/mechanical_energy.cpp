#include <algorithm>
#include <array>

#include "limber/core/nodes.hpp"
#include "limber/model/mechanical_system.hpp"
#include "limber/model/storing_force.hpp"

namespace limber {

Energies MechanicalSystem::energies(const State& u) const {
  const State all = full(u);
  Energies e;
  for (const auto& m : masses_) e.kinetic += (m.a == m.b ? 0.5 : 1) * m.m * block(all.v, m.a).dot(block(all.v, m.b));
  for (const auto& force : forces_) {
    auto p = force->potentials(all);
    if (!p) continue;
    if (const auto* storing = dynamic_cast<const StoringForce*>(force.get())) p->stored = storing->stored_energy(all);
    switch (force->traits().energy) {
      case EnergyKind::elastic:
        e.elastic += p->stored;
        break;
      case EnergyKind::gravitational:
        e.gravitational += p->stored;
        break;
      case EnergyKind::contact:
        e.contact += p->stored;
        break;
      case EnergyKind::other:
        e.other += p->stored;
        break;
    }
  }
  std::array<double, 5> sums = {e.kinetic, e.elastic, e.gravitational, e.contact, e.other};
  space_.processes().sum(sums);
  return {sums[0], sums[1], sums[2], sums[3], sums[4]};
}

double MechanicalSystem::damping_power(const State& u) const {
  const State all = full(u);
  double power = 0;
  for (const Sides& f : sides_)
    if (f.damping) power += f.damping->damping_power(all);
  return space_.sum(power);
}

double MechanicalSystem::friction_power(const State& u) const {
  if (!contact_) return 0;
  const State all = full(u);
  double power = 0;
  for (const Sides& f : sides_)
    if (f.contact) power += f.contact->friction_power(all);
  return space_.sum(power);
}

double MechanicalSystem::work_put_in(const State& from, const State& to) const {
  const State a = full(from), b = full(to);
  double both = 0, at_start = 0, at_end = 0;
  Vector free_start = Vector::Zero(a.q.size()), free_end = free_start;
  bool any_free = false;
  for (std::size_t k = 0; k < forces_.size(); ++k) {
    const auto& force = forces_[k];
    const auto traits = force->traits();
    if (const ContactForce* contact = sides_[k].contact) {
      if (!traits.time_dependent) continue;
      at_start += contact->driving_work(a, a.t, b.t);
      at_end += contact->driving_work(b, a.t, b.t);
    } else if (!traits.has_potential && !traits.dissipates) {
      force->add_force(a, free_start);
      force->add_force(b, free_end);
      any_free = true;
    } else if (traits.has_potential && traits.time_dependent && !dynamic_cast<const StoringForce*>(force.get())) {
      // What time alone changes of W, at both ends: no derivative is asked for, so loads may jump.
      const auto stored = [&](const State& u, double t) { return force->potentials({u.q, u.v, t})->stored; };
      both += .5 * (stored(a, b.t) - stored(a, a.t) + stored(b, b.t) - stored(b, a.t));
      if (const DampingForce* damping = sides_[k].damping) {
        at_start += (b.t - a.t) * damping->driving_power(a);
        at_end += (b.t - a.t) * damping->driving_power(b);
      }
    }
  }
  if (any_free) {
    at_start += free_start.dot(b.q - a.q);
    at_end += free_end.dot(b.q - a.q);
  }
  if (scripted_) {
    at_start += work_of_scripts(a, b, full_force(a, forces_));
    at_end += work_of_scripts(a, b, full_force(b, forces_));
  }
  std::array<double, 3> sums = {both, at_start, at_end};
  space_.processes().sum(sums);
  return sums[0] + std::max(sums[2], .5 * (sums[1] + sums[2]));
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
