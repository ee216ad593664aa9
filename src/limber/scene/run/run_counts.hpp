#pragma once  // internal
/// What a run has done so far, and what was said about it.

#include <string>
#include <vector>

#include "limber/scene/construction/build.hpp"
#include "limber/scene/run/run_checkpoint.hpp"
#include "limber/sim/simulation.hpp"

namespace limber {

/// The name of the count of steps that were retaken in this way.
std::string retaken_count(Way way);

class RunCounts {
 public:
  RunCounts(const Simulation& simulation, const Model& model) : simulation_(simulation), model_(model) {}

  void add(const StepRecord& step);
  /// Goes on where the checkpoint was.
  void restore(const Checkpoint& checkpoint);
  /// Does `change`, after which the simulation may count from 0 again.
  template <class Change>
  void keep_over(const Change& change) {
    const Counts until_now = own();
    change();
    for (const auto& [name, count] : own()) before_[name] += until_now.at(name) - count;
  }

  /// Since the start of the run, also where that was before a --resume.
  Counts all() const;
  /// What is said once is said again after --resume.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  /// Since the simulation was made.
  Counts own() const;

  const Simulation& simulation_;
  const Model& model_;
  StepTally tally_;
  Counts before_;  // of the runs that this one goes on with
  std::vector<std::string> notes_;
};

}  // namespace limber
