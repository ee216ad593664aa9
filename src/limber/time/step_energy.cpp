#include "limber/time/step_energy.hpp"

#include "limber/model/mechanical_system.hpp"
#include "limber/time/dynamics.hpp"

namespace limber {
namespace {

const MechanicalSystem* mechanical(const System& system) { return dynamic_cast<const MechanicalSystem*>(&system); }

State stopped(const State& u) { return {u.q, Vector::Zero(u.v.size()), u.t}; }

}  // namespace

double energy_gain(const System& system, const State& a, const State& b, const State& acting) {
  if (const MechanicalSystem* s = mechanical(system)) {
    const ActingState only{&acting, 1};
    return energies(*s, b).total() - energies(*s, a).total() - work_put_in(*s, a, b, {&only, 1}).work;
  }
  const Space& space = system.space();
  const double kinetic = .5 * (space.dot(b.v, system.apply_mass(b.v)) - space.dot(a.v, system.apply_mass(a.v)));
  const auto before = system.potentials(a), after = system.potentials({b.q, b.v, a.t});
  if (before && after) return kinetic + after->stored - before->stored;
  return kinetic - .5 * space.dot(system.force(stopped(a)) + system.force(stopped(b)), b.q - a.q);
}

double power_taken(const System& system, const State& u) {
  if (const MechanicalSystem* s = mechanical(system)) return damping_power(*s, u) + friction_power(*s, u);
  if (!system.velocity_dependent()) return 0;
  return system.space().dot(u.v, system.force(stopped(u)) - system.force(u));
}

double power_of_gravity(const System& system, const State& u, const Vector& v) {
  const MechanicalSystem* s = mechanical(system);
  if (!s) return 0;
  const State all = s->full(u);
  Vector weights = Vector::Zero(all.q.size());
  for (const auto& force : s->forces().all())
    if (force->traits().energy == EnergyKind::gravitational) force->add_force(all, weights);
  return s->space().sum(weights.dot(s->spread(v)));  // local: of the own elements
}

EnergyGain Mechanics::gain(const State& from, const State& u, const Vector& d) {
  const System& system = whole_ ? *whole_ : system_;
  const auto kinetic = [&](const Vector& v) { return .5 * system.space().dot(v, system.apply_mass(v)); };
  const double h = u.t - from.t;
  EnergyGain gain;
  gain.at_stage = energy_gain(system, from, u, u);
  gain.curvature = kinetic(d);
  gain.slope = energy_gain(system, from, {u.q, u.v + d, u.t}, u) - gain.at_stage - gain.curvature;
  gain.taken = h * power_taken(system, u);
  gain.kinetic = kinetic(u.v);
  gain.overfallen = .5 * h * power_of_gravity(system, u, u.v - from.v);
  gain.overfallen_slope = -.5 * h * power_of_gravity(system, u, d);
  return gain;
}

}  // namespace limber
