#pragma once
/// The modes of a system in several parts: those of the parts, merged by λ, of equal ones by part. Each part gives only
/// as many as the cut through the merged spectrum needs.

#include <functional>

#include "limber/linalg/modes/mode_search.hpp"
#include "limber/linalg/modes/parts.hpp"

namespace limber {

/// Calls `work` for all parts, several at a time. All of them are worked on even if one fails (the first failure is
/// thrown), so that what is left behind does not depend on the number of threads.
void for_each_part(std::size_t parts, const std::function<void(std::size_t)>& work);

class PartedModes {
 public:
  /// Gives the `count` lowest modes of a part, or more. Called for several parts at a time. A part for which it throws
  /// BelowFloor is closed.
  using Find = std::function<Modes(std::size_t part, int count)>;

  PartedModes(std::vector<std::vector<int>> parts, const SparseMatrix& K, const SparseMatrix& M, const Matrix& rigid);

  /// How many modes to take: s, or more, or all that can be had. Calls `find` where `found` does not suffice to say.
  Index choose(Index s, Extent extent, const Find& find);
  /// The `count` lowest of all parts: `choose` has seen to it that they are known.
  Modes modes(Index count) const;
  /// λ[count] − λ[count − 1], relative to the larger; infinite where nothing follows.
  double gap_after(Index count) const;
  /// Sorts `found` anew.
  void sort();

  std::vector<std::vector<int>> parts;
  std::vector<ModeProblem> problems;
  std::vector<Modes> found;  // the lowest of each part; none: X of size 0
  std::vector<char> closed;  // parts that are not asked for more than is found

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
  Index known_ = 0;  // the first of them, between which no mode is missing
  bool all_found_ = false;
};

}  // namespace limber
