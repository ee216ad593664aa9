#pragma once  // internal
/// What a run keeps in a checkpoint: the simulation's snapshot, its counts and its notes.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "limber/core/communicator.hpp"
#include "limber/record/checkpoint.hpp"
#include "limber/sim/simulation.hpp"

namespace limber {

/// How often things were done since the start of the run, by name.
using Counts = std::map<std::string, double>;

Checkpoint to_checkpoint(const Snapshot& s, const Counts& counts, const std::vector<std::string>& notes);
/// These throw InputError(entry, …) where one is missing or of another form.
Snapshot to_snapshot(const Checkpoint& c);
double count_in(const Checkpoint& c, const std::string& name);
std::vector<std::string> notes_of(const Checkpoint& c);

/// Process 0 reads it, and keeps the states to itself; none where there is no such file.
std::optional<Checkpoint> shared_checkpoint(const std::string& path, const Communicator& all);

}  // namespace limber
