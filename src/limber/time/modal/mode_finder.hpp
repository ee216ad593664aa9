#pragma once
/// Finds the modes of K x = λ M x at a state, from scratch or near earlier ones, and the bodies that they belong to.
/// Several processes seek them together, each with the matrices of its own elements and the rows that it holds, or each
/// process seeks those of the whole system. Modes have the rows that are held here.

#include <string>
#include <vector>

#include "limber/linalg/modes/mode_tracker.hpp"
#include "limber/time/modal/basis.hpp"

namespace limber {

class ModeFinder {
 public:
  ModeFinder(int count, ModeSearch search) : count_(count), search_(search), tracker_(count) {}

  int count() const { return count_; }
  /// From now on no λ below this is sought, see ModeTracker.
  void set_floor(double lambda) { tracker_.set_floor(lambda); }

  /// At the linearisation's state. From scratch if `known` has no modes, else as ModeTracker::refine does. `note`: set
  /// where the processes did not find the modes together and each had to seek them. Throws BelowFloor.
  Modes find(System& system, const Linearization& at, const ModalBasis& known, double tolerance,
             const std::vector<char>& due, std::string& note);
  /// The unknowns of each body, which nothing attaches to others. modes: how many there are.
  std::vector<std::vector<int>> bodies(System& system, const Linearization& at, Index modes);
  /// The unknowns of those that had a λ below the floor in the last search.
  const std::vector<std::vector<int>>& below_floor() const { return tracker_.below_floor(); }

  ModeTracker::Counts counts() const { return tracker_.counts(); }
  /// What follows depends on the arguments only.
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
  Vector positions_;  // of the unknowns' nodes, in all; where they are needed
};

}  // namespace limber
