#pragma once
/// What a step was: the substeps in which it was taken, and by which of the method's ways. Reports, counters and notes
/// are read from it.

#include <map>
#include <string>
#include <vector>

#include "limber/time/attempts.hpp"

namespace limber {

struct Substep {
  double t = 0, h = 0;  // [s] where it starts, and its length
  Way way = Way::method;
  bool failed_before = false;  // an earlier way failed
  bool gained_before = false;  // an earlier way gained energy
  double gain = 0;             // [J] of the accepted state; negative: lost
  /// In the order in which they were solved; empty unless MethodOptions::record_stages. Hybrids' stages are those of
  /// the complement of their modes, exponential methods have none.
  std::vector<StageRecord> stages = {};
};

struct StepRecord {
  std::vector<Substep> substeps;  // one, unless the step was halved
  long newton_iterations = 0;
  std::vector<std::string> notes;    // why substeps were taken another way, or halved
  std::vector<std::string> remarks;  // what else the user should hear, such as more modes than were asked for

  bool halved() const { return substeps.size() > 1; }
  /// Substeps left to the full Newton, or to backward Euler.
  int escalations() const;
  /// Substeps that gained energy and were taken again in this way, or in any. The full Newton of a linearised method
  /// counts as an escalation.
  int retaken(Way way) const;
  int retaken() const;
};

/// Sums over many steps.
struct StepTally {
  long newton_iterations = 0, escalations = 0, halved = 0;
  std::map<Way, long> retaken = {};

  void add(const StepRecord& step);
};

}  // namespace limber
