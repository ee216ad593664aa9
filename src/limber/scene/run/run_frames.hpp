#pragma once  // internal
/// The frames of a run: when they are due, the state that each shows, and what is written of it.

#include <vector>

#include "limber/scene/construction/build.hpp"
#include "limber/scene/run/frame_plan.hpp"
#include "limber/scene/run/run_files.hpp"
#include "limber/scene/run/together.hpp"
#include "limber/sim/simulation.hpp"

namespace limber {

class RunFrames {
 public:
  RunFrames(const Scene& scene, const Model& model, const Simulation& simulation, RunFiles& files, Together& processes);

  const FramePlan& plan() const { return plan_; }
  /// How many there are.
  long written() const { return written_; }
  void go_on_from(long written) { written_ = written; }
  /// Of all nodes that are prescribed at the start, also where some have been released.
  TrajectoryHeader header() const;
  /// Those that became due with the last step. `before`: the state at its start.
  void write(const State& before);

 private:
  State shown(const State& before, double t) const;
  Vector reactions(const State& u) const;
  void write_contacts(const State& u, double t);

  const Scene& scene_;
  const Model& model_;
  const Simulation& simulation_;
  RunFiles& files_;
  Together& processes_;
  FramePlan plan_;
  std::vector<int> prescribed_;  // nodes, at the start
  long written_ = 0;
};

}  // namespace limber
