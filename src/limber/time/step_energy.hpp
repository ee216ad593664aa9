#pragma once  // internal
/// Energies in a step, for schemes that follow them (EnergyGain, dynamics.hpp).

#include "limber/model/system.hpp"

namespace limber {

/// What a step from a to b gains [J]: the change of energy less the work put in from outside, by the forces at
/// `acting`. Damping and friction make it negative. If the system is not mechanical and a force has no potential, its
/// work is that of the mean of the forces at both ends.
double energy_gain(const System& system, const State& a, const State& b, const State& acting);
/// The power [W] that damping and friction take out of the motion at u.
double power_taken(const System& system, const State& u);
/// The power [W] of gravity at u, if the velocities are v.
double power_of_gravity(const System& system, const State& u, const Vector& v);

}  // namespace limber
