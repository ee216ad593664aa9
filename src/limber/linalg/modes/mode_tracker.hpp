#pragma once
/// The modes of K x = λ M x for a slowly changing K. Uncoupled parts of the system are tracked separately, each with at
/// least one mode beyond those in use, so that modes of different parts can change places.

#include "limber/linalg/modes/connected_tracker.hpp"
#include "limber/linalg/modes/parted_modes.hpp"

namespace limber {

class ModeTracker {
 public:
  using Counts = ConnectedTracker::Counts;

  explicit ModeTracker(int s) : s_(s) {}

  /// whole_modes(K, M, s, rigid); retains the factors of K − σM. Throws as whole_modes does, and BelowFloor.
  Modes from_scratch(const SparseMatrix& K, const SparseMatrix& M, const Matrix& rigid);

  /// As many modes as `start` has, with mode_errors of at most `tolerance` in each part (see ConnectedTracker). Their
  /// number is chosen anew, as by from_scratch, if the set would split a cluster or the parts have changed. `due`: one
  /// entry per column of `start`; parts without a due column may be left unchanged. Empty: all are due.
  Modes refine(const SparseMatrix& K, const SparseMatrix& M, const Matrix& rigid, const Modes& start, double tolerance,
               const std::vector<char>& due = {});

  /// Eigenvalues below this bound are not computed (−∞: all are). A system in one part throws BelowFloor as soon as one
  /// is certain to exist. In a system of several parts, such a part keeps its modes of `start`, if any, and is listed
  /// by below_floor().
  void set_floor(double lambda) { floor_ = lambda; }
  /// See ConnectedTracker; a shared system is treated as one part.
  void set_space(const Space& space) {
    space_ = space;
    whole_.set_space(space);
  }
  /// See lowest_modes; must stay valid as long as this object. For systems in one part.
  void set_positions(const Vector* positions) { whole_.set_positions(positions); }
  /// The unknowns of each part that had an eigenvalue below the floor in the last call.
  const std::vector<std::vector<int>>& below_floor() const { return below_; }

  /// Drops factors and modes: later results depend on the arguments only.
  void reset();
  /// Iterations are summed over all parts.
  Counts counts() const;

 private:
  Modes from_scratch(PartedModes modes, const Modes& start);
  Modes finish(PartedModes modes, Index count);
  PartedModes::Find finder(const PartedModes& modes);

  int s_;
  Space space_;
  double floor_ = -std::numeric_limits<double>::infinity();
  ConnectedTracker whole_;  // for a system in one part
  std::vector<std::vector<int>> parts_, below_;
  std::vector<ConnectedTracker> trackers_;
  std::vector<Modes> found_;
  Counts parted_;  // counts not included in whole_
};

}  // namespace limber
