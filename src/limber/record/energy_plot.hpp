#pragma once
/// energy.png: kinetic, elastic, gravitational and total energy, and the damping loss, against time, drawn by gnuplot.

#include <optional>
#include <string>

namespace limber {

/// A unit in which energies up to `largest` [J] are short numbers, and its name: kJ, J, mJ, …
struct EnergyUnit {
  double joules;
  const char* name;
};
EnergyUnit energy_unit(double largest);

/// Draws `directory`/energy.csv into `directory`/energy.png (1200 × 800). Empty on success; otherwise why there is no
/// plot, as where gnuplot is missing: a run is none the worse for it. Throws InputError if energy.csv cannot be read.
std::optional<std::string> plot_energy(const std::string& directory, const std::string& title);

}  // namespace limber
