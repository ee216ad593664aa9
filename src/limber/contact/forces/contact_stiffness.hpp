#pragma once
/// κ [N/m] of all pairs of objects, given or chosen. Chosen: the smaller value of min(E ℓ + k, m/h²) of the two
/// objects, within bounds for which the load w that one collision carries at rest is balanced at a gap between .6 δ and
/// .7 δ,
///
///     w/(δ g(.6)) ≤ κ ≤ w/(δ g(.7)),    g(ξ) = −b'(ξδ; δ)/δ,
///
/// so that loads from w/40 to 30 w keep gaps within [.05, .95] δ. For larger loads κ is learned at the start of steps:
/// it is raised for pairs whose gaps have sunk below δ/20.

#include <array>
#include <vector>

#include "limber/contact/geometry/collisions.hpp"

namespace limber {

class ContactStiffness {
 public:
  enum class Rule { adaptive, given };
  ContactStiffness(const ContactScene& scene, Rule rule);

  double of(const std::array<int, 2>& objects) const { return kappa_[slot(objects)]; }
  /// For a collision with its own δ: the same load is balanced at the same fraction of it.
  double of(const Collision& c, double delta) const { return of(c.objects) * (delta_ / delta); }
  /// λ [N] of a collision, summed over its pairs.
  double normal_force(const Collision& c, double delta, double mollifier) const;

  /// The depth of the collisions of one pair of objects.
  struct Depth {
    double least = 1;   // smallest gap relative to its δ
    double stored = 0;  // [J] energy of the pair's barriers
    double pushed = 0;  // [N] sum of the pair's normal forces
  };
  /// Collects depths by pair, ascending.
  class Depths {
   public:
    void add(const std::array<int, 2>& objects, double gap, double delta, double stored, double pushed);
    const std::vector<std::pair<std::array<int, 2>, Depth>>& pairs();

   private:
    std::vector<std::pair<std::array<int, 2>, Depth>> pairs_;
  };
  /// Keeps bodies that start closer than δ from being blown apart: the collisions of such a pair together push with at
  /// most five times the weight of one body, and the closest one with at most five times its load at rest.
  void soften(Depths depths);
  /// Raises κ of pairs that have sunk, putting in at most `budget` [J], or twice their energy in severe cases. Returns
  /// whether anything changed.
  bool adapt(Depths depths, double budget);

  /// The learned values: object, object, κ of each pair that has changed.
  std::vector<double> memory() const;
  /// Throws InputError("forces", …) for invalid data.
  void restore(const std::vector<double>& memory);

 private:
  std::size_t slot(const std::array<int, 2>& objects) const {
    return static_cast<std::size_t>(objects[0]) * objects_ + static_cast<std::size_t>(objects[1]);
  }
  void set(const std::array<int, 2>& objects, double kappa);

  Rule rule_;
  std::size_t objects_;
  std::vector<double> kappa_, first_;  // #objects × #objects: present and initial values
  std::vector<RestingLoad> load_;      // #objects × #objects
  double delta_;
};

}  // namespace limber
