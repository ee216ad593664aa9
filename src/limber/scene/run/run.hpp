#pragma once
/// A whole run: scene file in, a directory of results out. What is on disk is readable at every moment, and a run that
/// was killed goes on from its last checkpoint to the bits of one that was not.

#include <functional>
#include <string>

#include "limber/record/directory.hpp"
#include "limber/record/trajectory.hpp"
#include "limber/scene/construction/build.hpp"

namespace limber {

struct Progress {
  long step = 0, steps = 0;                // steps: 0 where their lengths follow the error
  double start = 0, time = 0, end = 0;     // [s] simulated
  const StepRecord* step_taken = nullptr;  // the last one
};

struct RunOptions {
  std::string directory;
  Existing existing = Existing::refuse;
  std::function<void(const Progress&)> progress = {};
  std::function<void(const std::string&)> note = {};  // what the user should hear before the first step
  std::function<bool()> go_on = [] { return true; };  // asked before and within each step; no: stop cleanly
};

struct RunResult {
  enum class End { finished, already_finished, interrupted } end = End::finished;
  long steps = 0, frames = 0, resumed_from = 0;
  long checkpoint = 0;  // steps until the last one: from there --resume goes on
  Document summary;
};

/// `document`: the scene as run, kept as scene.json; `scene` was read from it. Throws InputError before anything is
/// written; StepFailure or OutputError where the run could not go on: what was written is readable, and summary.json
/// says why.
RunResult run_scene(const Document& document, const Scene& scene, const Model& model, const RunOptions& options);

/// What stands in a trajectory besides its frames.
TrajectoryHeader trajectory_header(const Model& model, Velocities velocities, long frames);

}  // namespace limber
