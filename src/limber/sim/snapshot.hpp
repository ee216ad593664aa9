#pragma once
/// Everything that determines the future of a motion, apart from the scene.

#include <optional>
#include <vector>

#include "limber/core/state.hpp"
#include "limber/model/parameters.hpp"
#include "limber/time/modal/subspace.hpp"

namespace limber {

struct Snapshot {
  std::vector<State> history;  // newest first, all unknowns; processes other than 0 store only the times
  long step = 0;
  double start_time = 0;    // [s] of step 0
  double damping_loss = 0;  // [J]
  double supply = 0;        // [J]
  std::optional<ModalMemory> modes = {};
  double friction_loss = 0;         // [J]
  std::vector<double> forces = {};  // memory of the forces
  std::vector<double> account = {};
  // [W] at the end of the last step, with the lagged quantities of that step; the next step updates them.
  double damping_power = 0, friction_power = 0;
  int releases = 0;                         // how many there have been of nodes that are held until some time
  std::vector<double> control = {};         // StepControl::memory(), where lengths of steps follow the error
  State error = {}, error_of_contact = {};  // what steps without and with contact have added, of all unknowns
  std::vector<Parameter> parameters = {};   // that have been changed, with their present values
};

/// What a snapshot must match.
struct SnapshotFit {
  std::optional<double> step;  // [s] length of all steps, if they have one
  std::size_t most_states;     // number of states the method looks back at
  bool modes;                  // whether the method splits off modes
};
/// Checks a snapshot from any source: matching lengths, finite numbers, ordered times. Throws InputError(entry, …).
void require_sound(const Snapshot& s, const SnapshotFit& fit);

}  // namespace limber
