#pragma once
/// The modes of a system of several parts: the modes of the parts, merged by λ, ties ordered by part. For each part
/// only as many modes are computed as the cut through the merged spectrum requires.

#include <functional>

#include "limber/linalg/modes/mode_search.hpp"
#include "limber/linalg/modes/parts.hpp"

namespace limber {

/// Calls `work` for all parts, several at a time. If one fails, the others are still worked on and the first failure is
/// thrown, so that the resulting state does not depend on the number of threads.
void for_each_part(std::size_t parts, const std::function<void(std::size_t)>& work);

class PartedModes {
 public:
  /// Returns the `count` lowest modes of a part, or more. Called for several parts at a time. A part for which it
  /// throws BelowFloor is closed.
  using Find = std::function<Modes(std::size_t part, int count)>;

  PartedModes(std::vector<std::vector<int>> parts, const SparseMatrix& K, const SparseMatrix& M, const Matrix& rigid);

  /// The number of modes to take: s, or more, or all available ones. Calls `find` if `found` does not suffice to
  /// decide.
  Index choose(Index s, Extent extent, const Find& find);
  /// The `count` lowest modes of all parts, with `count` at most the result of `choose`.
  Modes modes(Index count) const;
  /// λ[count] − λ[count − 1], relative to the larger; infinite if there is no next mode.
  double gap_after(Index count) const;
  /// Sorts `found` again.
  void sort();

  std::vector<std::vector<int>> parts;
  std::vector<ModeProblem> problems;
  std::vector<Modes> found;  // the lowest modes of each part; none: X of size 0
  std::vector<char> closed;  // parts for which no more modes are computed

 private:
  struct Entry {
    double lambda;
    std::size_t part;
    Index column;
  };

  bool complete(std::size_t p) const { return closed[p] || found[p].lambda.size() == problems[p].K.cols(); }
  void begin(Index s, const Find& find);
  void extend(double lambda, const Find& find);
  void find_all(const std::vector<int>& counts, const Find& find);

  double top_ = 0;  // max |K_ii| / M_ii
  std::vector<Entry> sorted_;
  Index known_ = 0;  // number of leading entries between which no mode is missing
  bool all_found_ = false;
};

}  // namespace limber
