#pragma once
/// The forces of a system, by their further interfaces, and the groups that methods treat differently.

#include <memory>
#include <string>
#include <vector>

#include "limber/model/force.hpp"

namespace limber {

/// smooth: those that methods may linearise; implicit: those that are wholly implicit in every method, such as contact.
/// Without the forces of collisions: apart, of all; lasting, of the implicit ones.
enum class ForceGroup { all, smooth, implicit, apart, lasting };

class ForceList {
 public:
  using Forces = std::vector<std::shared_ptr<Force>>;

  struct GroupTraits {
    bool collides = false;            // some of them are forces of collisions
    bool velocity_dependent = false;  // their tangent has a D
    bool time_dependent = false;
    bool has_potential = true;
  };

  explicit ForceList(Forces forces);

  const Forces& of(ForceGroup group) const { return group_[static_cast<std::size_t>(group)].forces; }
  const Forces& all() const { return of(ForceGroup::all); }
  const GroupTraits& traits(ForceGroup group) const { return group_[static_cast<std::size_t>(group)].traits; }
  Storage storage() const { return storage_; }
  Lag lag() const { return lag_; }

  /// Forces by their further interface.
  const std::vector<ContactForce*>& contact() const { return contact_; }
  const Forces& collisions() const { return collisions_; }  // the same as forces
  const std::vector<DampingForce*>& damping() const { return damping_; }
  /// A load takes this share of what it is from now on.
  void apply_loads(double share) const;

  /// What learning forces have learnt, of each force; and as one list: for each force, how many numbers, then these.
  std::vector<std::vector<double>> memories() const;
  std::vector<double> memory() const;
  void restore(const std::vector<std::vector<double>>& memories) const;
  /// Throws InputError if the numbers do not fit.
  void restore(const std::vector<double>& memory) const;
  bool any_learns() const;
  void begin_step(const State& all) const;
  bool adapt(const State& all, double budget) const;
  bool stiffen(const State& all, const Communicator& processes) const;
  std::vector<std::string> remarks(const State& all, const Communicator& processes) const;

 private:
  struct Group {
    Forces forces;
    GroupTraits traits;
  };
  /// visit(learning force, its strains, summed over all processes).
  template <class Visit>
  void each_strained(const State& all, const Communicator& processes, const Visit& visit) const;

  std::vector<Group> group_;  // by ForceGroup
  std::vector<ContactForce*> contact_;
  Forces collisions_;
  std::vector<DampingForce*> damping_;
  std::vector<LoadForce*> loads_;
  std::vector<LearningForce*> learning_;  // of each force; null: it learns nothing
  Storage storage_ = Storage::lower;
  Lag lag_ = Lag::none;
};

}  // namespace limber
