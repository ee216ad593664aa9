#pragma once
/// The collisions of pairs of points, edges and triangles. They are looked for among the pairs that a search has found
/// to be near (candidate_searches.hpp). x: positions of all nodes, 3 × nodes, at which no number is infinite.

#include <vector>

#include "limber/contact/geometry/candidate_searches.hpp"
#include "limber/contact/geometry/collision.hpp"

namespace limber {

class CollidingPairs {
 public:
  /// Refers to the scene.
  explicit CollidingPairs(const ContactScene& scene) : scene_(scene), searches_(scene) {}

  /// How far a search reaches at least [m].
  double reach() const { return searches_.least_reach(); }
  /// Replaces `found` by those with a gap below `within` ≤ reach(). Pairs with the same two nearest features,
  /// vertex-vertex or vertex-edge, are merged into one collision that counts several times. First those that stand
  /// alone, in the order of the candidates, then the merged ones in the order of their features.
  void find(const Vector& x, double within, std::vector<Collision>& found) const;
  /// All with a gap below `within` [m], of any size, without merging.
  std::vector<Collision> near(const Vector& x, double within) const;
  /// The nodes of all with a gap below reach().
  std::vector<PairNodes> nodes_of_near(const Vector& x) const;
  /// What a way is: a correction, or what obstacles move on as well, a whole step.
  enum class Way { correction, step };
  /// The largest s in [0, 1] for which every gap retains a tenth of itself, or of δ if that is less, from x to x + s
  /// (end − x).
  double max_step(const Vector& x, const Vector& end, Way way) const;

 private:
  using Search = CandidateSearches::Search;
  using Candidate = CandidateSearches::Candidate;
  struct Shared {
    PairFeatures features;
    MetPair met;
  };

  std::vector<std::size_t> by_features(const std::vector<Shared>& shared) const;
  double pair_step(Collision::Kind kind, const PairNodes& nodes, const Vector& x0, const Vector& x1) const;
  double step_of_all(const Candidates& pairs, const Vector& x0, const Vector& x1) const;
  double step_of_near(const Search& near, const Vector& x0, const Vector& x1) const;

  const ContactScene& scene_;
  CandidateSearches searches_;
};

}  // namespace limber
