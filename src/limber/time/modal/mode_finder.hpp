#pragma once
/// Finds the modes of K x = λ M x at a state, from scratch or starting from earlier ones, and the bodies to which they
/// belong. Several processes either search together, each with the matrices of its own elements and the rows it holds,
/// or each process searches the whole system. The modes returned have the rows held here.

#include <string>
#include <vector>

#include "limber/linalg/modes/mode_tracker.hpp"
#include "limber/time/modal/basis.hpp"

namespace limber {

class ModeFinder {
 public:
  ModeFinder(int count, ModeSearch search) : count_(count), search_(search), tracker_(count) {}

  int count() const { return count_; }
  /// Later calls of find() do not search for λ below this bound; see ModeTracker.
  void set_floor(double lambda) { tracker_.set_floor(lambda); }

  /// The modes at the state of the linearisation: from scratch if `known` is empty, otherwise by ModeTracker::refine.
  /// `note`: set if the joint search failed and each process had to search on its own. Throws BelowFloor.
  Modes find(System& system, const Linearization& at, const ModalBasis& known, double tolerance,
             const std::vector<char>& due, std::string& note);
  /// The unknowns of each body, a part not attached to others. modes: the number of modes.
  std::vector<std::vector<int>> bodies(System& system, const Linearization& at, Index modes);
  /// The unknowns of the bodies with a λ below the floor in the last search.
  const std::vector<std::vector<int>>& below_floor() const { return tracker_.below_floor(); }

  ModeTracker::Counts counts() const { return tracker_.counts(); }
  /// Forgets earlier searches: later results depend on the arguments only.
  void reset() { tracker_.reset(); }

 private:
  struct Problem {
    SparseMatrix K, M;
    Matrix rigid;
  };
  bool together(const System& system, const Linearization& at, Index modes) const;
  Problem problem(System& system, const Linearization& at, ModeSearch who);
  Modes find(System& system, const Linearization& at, const ModalBasis& known, double tolerance,
             const std::vector<char>& due, ModeSearch who);

  int count_;
  ModeSearch search_;
  ModeTracker tracker_;
  Vector positions_;  // positions of the nodes of all unknowns, if needed
};

}  // namespace limber
