#pragma once
/// Searches for pairs of primitives that may be near, kept as long as the surface has not moved too far since. Bodies
/// swing and iterates go back and forth, so that several are kept. Several threads may ask at once: a search that has
/// been made does not change. Which search serves shows in no result.

#include <array>
#include <memory>
#include <vector>

#include "limber/contact/geometry/broad_phase.hpp"
#include "limber/contact/geometry/contact_scene.hpp"
#include "limber/contact/geometry/patches.hpp"
#include "limber/contact/geometry/primitives.hpp"
#include "limber/core/shared_list.hpp"

namespace limber {

class CandidateSearches {
 public:
  /// Refers to the scene.
  explicit CandidateSearches(const ContactScene& scene);

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
    const Vector& x() const { return at.x; }
    std::size_t count() const;  // of pairs
  };
  using Found = std::shared_ptr<const Search>;

  double least_reach() const { return 2 * scene_.delta; }  // [m] minimum reach of searches
  double longest_reach() const { return longest_reach_; }  // [m] largest reach beyond the colliding distance
  const Patches& patches() const { return patches_; }

  /// A stored search that covers x and y: it contains all pairs with a gap below `within` anywhere between them. Null
  /// if there is none.
  Found recall(const Vector& x, const Vector& y, double within) const;
  /// A search that is not stored. Reaches less far, `least` [m] at least, where that makes it short.
  Found made(const Vector& x, double reach, double least) const;
  /// A new search, which is stored. `about` [m]: expected relative motion until the next one.
  Found search(const Vector& x, double about, double within) const;
  /// A search that covers x, stored or new.
  Found need(const Vector& x, double within) const;
  /// Whether the last search found hardly anything, or none was made: the next one reaches far.
  bool finds_little() const;
  /// use(candidates), the pairs with overlapping boxes of their ways from x0 to x1.
  template <class Use>
  auto on_the_way(const Vector& x0, const Vector& x1, double reach, const Use& use) const {
    return use(overlapping(x0, x1, reach)->boxes);
  }

 private:
  /// A search, and what is known of it.
  struct Kept {
    Found search;
    /// Where it was looked at last, and the gap [m] that all pairs that the patches watch keep up to there.
    struct Seen {
      Vector x;
      double gap;
    };
    std::shared_ptr<const Seen> seen;
  };
  /// What looks for pairs of boxes: its trees serve again.
  struct Work {
    explicit Work(const ContactScene& scene) : broad_phase(scene.surface, scene.may_collide) {}
    BroadPhase broad_phase;
    Candidates boxes;  // pairs with overlapping boxes
  };

  std::shared_ptr<Work> overlapping(const Vector& x0, const Vector& x1, double reach) const;
  bool is_short(const Search& s) const { return s.count() <= scene_.surface.points.size(); }
  /// Of these boxes, the pairs with a gap below `within` at x.
  Pairs closer(const Candidates& boxes, const Vector& x, double within) const;
  bool covers(Kept& kept, const Vector& at, double within) const;
  Found last() const;

  const ContactScene& scene_;
  Patches patches_;
  double edge_ = 0;  // [m] mean length of edges
  double longest_reach_ = 0;
  SharedList<Work> work_;
  Guarded<std::vector<Kept>> kept_;  // most recently used first
};

}  // namespace limber
