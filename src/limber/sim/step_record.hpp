#pragma once
/// How a step was taken: its substeps, and the way in which each was computed. Reports, counters and notes are read
/// from it.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "limber/time/attempts.hpp"

namespace limber {

struct Substep {
  double t = 0, h = 0;  // [s] start time and length
  Way way = Way::method;
  bool failed_before = false;            // an earlier way failed
  bool gained_before = false;            // an earlier way gained energy
  double gain = 0;                       // [J] of the accepted state; negative: loss
  bool touched = false;                  // contact acted
  std::optional<LocalError> error = {};  // if errors are estimated and the way has an estimate
  /// The rest is empty unless MethodOptions::record_stages. Stages come in the order of solution. For hybrids, they are
  /// those of the complement of the modes; exponential methods have none.
  StepLog log = {};
  State end = {};
};

struct StepRecord {
  std::vector<Substep> substeps;  // one, unless the step was halved or taken by halves
  long newton_iterations = 0;
  int rejected = 0;                  // attempts with too large an error
  bool by_halves = false;            // taken as two halves to estimate the error
  bool carried = false;              // the errors so far were carried on, which takes a matrix
  std::vector<std::string> notes;    // why substeps were taken in another way or halved
  std::vector<std::string> remarks;  // other messages for the user, such as more modes than requested

  bool halved() const { return substeps.size() > (by_halves ? 2u : 1u); }
  /// Length of the shortest substep [s].
  double shortest() const;
  /// The number of substeps that needed another way after a failure, or the full Newton after an energy gain.
  int escalations() const;
  /// The number of substeps that gained energy and were retaken in this way, or in any. The full Newton of a linearised
  /// method counts as an escalation.
  int retaken(Way way) const;
  int retaken() const;
};

/// Sums over many steps.
struct StepTally {
  long newton_iterations = 0, escalations = 0, halved = 0, rejected = 0;
  std::map<Way, long> retaken = {};

  void add(const StepRecord& step);
};

}  // namespace limber
