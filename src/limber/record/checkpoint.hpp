#pragma once
/// All that a run needs to go on to the same bits: the last states, what the solver remembers, and how much of the
/// trajectory and of the energy table belongs to them. Doubles are stored bit for bit. docs/output.md has the layout.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "limber/core/state.hpp"
#include "limber/record/files.hpp"

namespace limber {

struct Checkpoint {
  long step = 0;                          // steps taken
  long frames = 0;                        // frames of the trajectory up to this step
  long rows = 0;                          // rows of energy.csv up to this step
  std::vector<State> history;             // newest first
  std::map<std::string, double> numbers;  // accumulated losses, step sizes, …
  std::map<std::string, Vector> vectors;  // lagged configurations, modes, …
  std::map<std::string, std::string> texts;
  std::string scene_text;  // the scene as run: a resumed run must have the same
};

/// Replaces the file at once; a run killed meanwhile leaves the former checkpoint. Throws OutputError.
void save_checkpoint(const std::string& path, const Checkpoint& checkpoint, Durable durable = Durable::killed_process);

/// What the file holds, and from it.
std::string checkpoint_bytes(const Checkpoint& checkpoint);
Checkpoint parse_checkpoint(const std::string& bytes, const std::string& path);

/// Empty if there is no such file. Throws InputError(path, …) if it is damaged, not a checkpoint or of another version.
std::optional<Checkpoint> load_checkpoint(const std::string& path);

}  // namespace limber
