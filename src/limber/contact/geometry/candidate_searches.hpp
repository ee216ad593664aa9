#pragma once
/// Searches for pairs of primitives that may be near, kept as long as the surface has not moved too far since. Bodies
/// swing and iterates go back and forth, so that several are kept.

#include <array>
#include <vector>

#include "limber/contact/geometry/broad_phase.hpp"
#include "limber/contact/geometry/patches.hpp"
#include "limber/contact/geometry/primitives.hpp"

namespace limber {

class CandidateSearches {
 public:
  /// rest [m]: 3 × all nodes. delta: δ [m].
  CandidateSearches(const ContactSurface& surface, const MayCollide& may, const Vector& rest, double delta);

  /// A pair of primitives and a lower bound of its gap [m] at the time of the search.
  struct Candidate {
    PairNodes nodes;
    float gap;
  };
  using Pairs = std::array<std::vector<Candidate>, 4>;  // by kind
  /// All pairs with a gap below `reach` [m] at positions x; the patches watch the others.
  struct Search {
    Patches::Layout at;
    double reach = 0;
    Pairs pairs;
    Vector seen = {};  // where it was looked at last; up to there
    double kept = 0;   // [m] all that the patches watch keep this gap
    const Vector& x() const { return at.x; }
    std::size_t count() const;  // of pairs
  };

  bool any() const { return !searches_.empty(); }
  const Search& first() const { return searches_[0]; }
  bool first_is_short() const { return is_short(searches_[0]); }
  double least_reach() const { return 2 * delta_; }        // [m] minimum reach of searches
  double longest_reach() const { return longest_reach_; }  // [m] largest reach beyond the colliding distance
  const Patches& patches() const { return patches_; }

  /// Moves to the front a stored search that covers x and y: it contains all pairs with a gap below `within` anywhere
  /// between them. Returns false if there is none.
  bool recall(const Vector& x, const Vector& y, double within);
  /// A search of its own. Reaches less far, `least` [m] at least, where that makes it short.
  Search made(const Vector& x, double reach, double least);
  /// Starts a new search. `about` [m]: expected relative motion until the next one.
  void search(const Vector& x, double about, double within);
  /// A search that covers x, reused or new.
  const Search& need(const Vector& x, double within);
  /// All pairs with overlapping boxes of their ways from x0 to x1; valid until the next search.
  const Candidates& on_the_way(const Vector& x0, const Vector& x1, double reach) {
    broad_phase_.find(x0, x1, reach, boxes_);
    return boxes_;
  }

 private:
  const ContactSurface& surface() const { return broad_phase_.surface(); }
  bool is_short(const Search& s) const { return s.count() <= surface().points.size(); }
  /// Of boxes_, the pairs with a gap below `within` at x.
  Pairs closer(const Vector& x, double within) const;

  BroadPhase broad_phase_;
  Patches patches_;
  double delta_;
  double edge_ = 0;  // [m] mean length of edges
  double longest_reach_ = 0;
  Candidates boxes_;              // pairs with overlapping boxes of the last search
  std::vector<Search> searches_;  // most recently used first
};

}  // namespace limber
