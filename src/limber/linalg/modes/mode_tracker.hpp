#pragma once
/// The modes of K x = λ M x for a K that changes slowly. Parts of the system that nothing couples are followed each for
/// itself, with a mode or more beyond those that are taken: what changes places among them is seen.

#include "limber/linalg/modes/connected_tracker.hpp"
#include "limber/linalg/modes/parted_modes.hpp"

namespace limber {

class ModeTracker {
 public:
  using Counts = ConnectedTracker::Counts;

  explicit ModeTracker(int s) : s_(s) {}

  /// whole_modes(K, M, s, rigid), whose factors of K − σM are kept. Throws as it does, and BelowFloor.
  Modes from_scratch(const SparseMatrix& K, const SparseMatrix& M, const Matrix& rigid);

  /// As many modes as `start` has, with mode_errors of at most `tolerance` in each part (see ConnectedTracker). Their
  /// number is that of `from_scratch` if the set has come to cut a cluster, or if the parts are others. `due`: one for
  /// each column of `start`; parts without any that is due may be left as they are. Empty: all are due.
  Modes refine(const SparseMatrix& K, const SparseMatrix& M, const Matrix& rigid, const Modes& start, double tolerance,
               const std::vector<char>& due = {});

  /// From now on a λ below this is not sought (−∞: all are). A system in one part throws BelowFloor, as soon as that is
  /// certain; in a system of several, such a part has the modes of `start`, if any, and is named by below_floor().
  void set_floor(double lambda) { floor_ = lambda; }
  /// As of ConnectedTracker: a shared system is taken to be in one part.
  void set_space(const Space& space) {
    space_ = space;
    whole_.set_space(space);
  }
  /// As for lowest_modes, alive as long as this; of a system in one part.
  void set_positions(const Vector* positions) { whole_.set_positions(positions); }
  /// The unknowns of each part that was found to have a λ below the floor, the last time.
  const std::vector<std::vector<int>>& below_floor() const { return below_; }

  /// Drops factors and modes: what follows depends on the arguments only.
  void reset();
  /// Iterations are those of all parts.
  Counts counts() const;

 private:
  Modes from_scratch(PartedModes modes, const Modes& start);
  Modes finish(PartedModes modes, Index count);
  PartedModes::Find finder(const PartedModes& modes);

  int s_;
  Space space_;
  double floor_ = -std::numeric_limits<double>::infinity();
  ConnectedTracker whole_;  // of a system in one part
  std::vector<std::vector<int>> parts_, below_;
  std::vector<ConnectedTracker> trackers_;
  std::vector<Modes> found_;
  Counts parted_;  // what whole_ does not count
};

}  // namespace limber
