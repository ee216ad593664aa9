#pragma once
/// The modes of K x = λ M x for a K that changes slowly. Parts of the system that nothing couples are followed each for
/// itself, with a mode or more beyond those that are taken: what changes places among them is seen.

#include "limber/linalg/connected_tracker.hpp"
#include "limber/linalg/parted_modes.hpp"

namespace limber {

class ModeTracker {
 public:
  using Counts = ConnectedTracker::Counts;

  explicit ModeTracker(int s) : s_(s) {}

  /// whole_modes(K, M, s, rigid), whose factors of K − σM are kept. Throws as it does.
  Modes from_scratch(const SparseMatrix& K, const SparseMatrix& M, const Matrix& rigid);

  /// As many modes as `start` has, with mode_errors of at most `tolerance` in each part (see ConnectedTracker). Their
  /// number is that of `from_scratch` if the set has come to cut a cluster, or if the parts are others.
  Modes refine(const SparseMatrix& K, const SparseMatrix& M, const Matrix& rigid, const Modes& start, double tolerance);

  /// From now on StepFailure is thrown where a λ is below this (−∞: nowhere), as soon as that is certain.
  void set_floor(double lambda) { floor_ = lambda; }

  /// Drops factors and modes: what follows depends on the arguments only.
  void reset();
  /// Iterations are those of all parts.
  Counts counts() const;

 private:
  Modes from_scratch(PartedModes modes);
  Modes finish(PartedModes modes, Index count);
  PartedModes::Find finder(const PartedModes& modes);

  int s_;
  double floor_ = -std::numeric_limits<double>::infinity();
  ConnectedTracker whole_;  // of a system in one part
  std::vector<std::vector<int>> parts_;
  std::vector<ConnectedTracker> trackers_;
  std::vector<Modes> found_;
  Counts parted_;  // what whole_ does not count
};

}  // namespace limber
