#pragma once
/// κ [N/m] of all pairs of objects. Given, or chosen: the smaller one of what the two objects bear, min(E ℓ + k, m/h²),
/// but within the bounds that let the load w which one collision carries at rest stand between .6 δ and .7 δ,
///
///     w/(δ g(.6)) ≤ κ ≤ w/(δ g(.7)),    g(ξ) = −b'(ξδ; δ)/δ,
///
/// so that loads from a fortieth to thirty times w keep gaps within [.05, .95] δ. What is more is learnt at the start
/// of steps: κ of a pair is raised where its gaps have sunk below δ/20.

#include <array>
#include <vector>

#include "limber/contact/geometry/collisions.hpp"

namespace limber {

class ContactStiffness {
 public:
  enum class Rule { adaptive, given };
  ContactStiffness(const ContactScene& scene, Rule rule);

  double of(const std::array<int, 2>& objects) const { return kappa_[slot(objects)]; }
  /// Of a collision with a δ of its own: the same load stands at the same part of it.
  double of(const Collision& c, double delta) const { return of(c.objects) * (delta_ / delta); }
  /// λ [N] of a collision, all its pairs together.
  double normal_force(const Collision& c, double delta, double mollifier) const;

  /// How deep the collisions of one pair of objects are.
  struct Depth {
    double least = 1;   // the smallest gap, in parts of its δ
    double stored = 0;  // [J] energy of the pair's barriers
    double pushed = 0;  // [N] sum of its normal forces
  };
  /// Collects depths by pairs, ascending.
  class Depths {
   public:
    void add(const std::array<int, 2>& objects, double gap, double delta, double stored, double pushed);
    const std::vector<std::pair<std::array<int, 2>, Depth>>& pairs();

   private:
    std::vector<std::pair<std::array<int, 2>, Depth>> pairs_;
  };
  /// Bodies that start closer than δ are not blown apart: the collisions of such a pair push with at most five times
  /// the weight of one body together, and the closest one with five times what it carries at rest.
  void soften(Depths depths);
  /// Raises κ of pairs that have sunk, putting in at most `budget` [J], or twice their energy where that is needed
  /// badly. Whether something has changed.
  bool adapt(Depths depths, double budget);

  /// What has been learnt: object, object, κ of each pair that has changed.
  std::vector<double> memory() const;
  /// Throws InputError("forces", …) for what is no such memory.
  void restore(const std::vector<double>& memory);

 private:
  std::size_t slot(const std::array<int, 2>& objects) const {
    return static_cast<std::size_t>(objects[0]) * objects_ + static_cast<std::size_t>(objects[1]);
  }
  void set(const std::array<int, 2>& objects, double kappa);

  Rule rule_;
  std::size_t objects_;
  std::vector<double> kappa_, first_;  // #objects × #objects: now, and before anything was learnt
  std::vector<RestingLoad> load_;      // #objects × #objects
  double delta_;
};

}  // namespace limber
