#pragma once
/// Energies, powers and works of a mechanical system, and the forces that hold its prescribed nodes. All are sums over
/// all processes.

#include <span>

#include "limber/core/state.hpp"
#include "limber/core/types.hpp"

namespace limber {

class MechanicalSystem;

struct Energies {
  double kinetic = 0, elastic = 0, gravitational = 0, contact = 0, other = 0;  // [J]
  double total() const { return kinetic + elastic + gravitational + contact + other; }
};

/// A state at which forces acted during a step, and with which weight; weights sum to 1.
struct ActingState {
  const State* u;
  double weight;
};

struct WorkPutIn {
  double work = 0;   // [J] negative: taken out
  double doubt = 0;  // [J] how much more it is with the forces of the step's end, or the mean of both ends: schemes
                     // that remember weigh the forces of earlier steps too; and a share of what forces without a
                     // potential do
};

Energies energies(const MechanicalSystem& system, const State& u);
/// How exactly the elastic energy is evaluated [J]: how much it changes when all nodes are shifted alike.
double elastic_rounding(const MechanicalSystem& system, const State& u);
/// The power [W] that damping forces, and friction, take out of the motion.
double damping_power(const MechanicalSystem& system, const State& u);
double friction_power(const MechanicalSystem& system, const State& u);
/// The work that scripts, moving obstacles, loads that change and forces without a potential put in during a step from
/// a to b, if they act as at these states (of the unknowns) with these weights.
WorkPutIn work_put_in(const MechanicalSystem& system, const State& a, const State& b,
                      std::span<const ActingState> acting);
/// Force [N] that holds or drives each prescribed node, 3P, in the order of prescribed_nodes().
Vector reactions(const MechanicalSystem& system, const State& u);
double total_mass(const MechanicalSystem& system);

}  // namespace limber
