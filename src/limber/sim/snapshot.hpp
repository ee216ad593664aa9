#pragma once
/// All that the future of a motion depends on, besides the scene.

#include <optional>
#include <vector>

#include "limber/core/state.hpp"
#include "limber/model/parameters.hpp"
#include "limber/time/modal/subspace.hpp"

namespace limber {

struct Snapshot {
  std::vector<State> history;  // newest first, of all unknowns; several processes: on process 0, others have the times
  long step = 0;
  double start_time = 0;    // [s] of step 0
  double damping_loss = 0;  // [J]
  double supply = 0;        // [J]
  std::optional<ModalMemory> modes = {};
  double friction_loss = 0;         // [J]
  std::vector<double> forces = {};  // what forces have learnt
  std::vector<double> account = {};
  // [W] at the end of the last step, as the forces were during it: what they lag begins anew with the next step.
  double damping_power = 0, friction_power = 0;
  int releases = 0;                        // how many there have been of nodes that are held until some time
  std::vector<Parameter> parameters = {};  // that have been changed, with their present values
};

/// What a snapshot has to fit.
struct SnapshotFit {
  double step;              // [s]
  std::size_t most_states;  // that the method looks back at
  bool modes;               // whether it splits some off
};
/// Whatever the snapshot comes from: lengths that fit each other, finite numbers, times in their order. Throws
/// InputError(entry, …).
void require_sound(const Snapshot& s, const SnapshotFit& fit);

}  // namespace limber
