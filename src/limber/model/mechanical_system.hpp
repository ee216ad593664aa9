#pragma once
/// Assembles nodes, masses, forces and prescribed motion into M q̈ = f(q, v, t) on the free degrees of freedom. With
/// the prescribed nodes p:  M_ff q̈ = f_f(q, q_p(t), v, v_p(t), t) − M_fp q̈_p(t). If nodes are tied to others, x_f = W
/// z, the unknowns are z:  WᵀM_ffW z̈ = Wᵀ(…).
///
/// It is composed of a map between nodes and unknowns, a list of forces, and an assembler of matrices. Energies and
/// works are functions of the system (energies.hpp).

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "limber/core/nodes.hpp"
#include "limber/model/assembler.hpp"
#include "limber/model/connected_parts.hpp"
#include "limber/model/energies.hpp"
#include "limber/model/force_list.hpp"
#include "limber/model/gap_source.hpp"
#include "limber/model/parameters.hpp"
#include "limber/model/unknown_map.hpp"

namespace limber {

class MechanicalSystem final : public System {
 public:
  struct Parts {
    Vector positions;  // 3N [m]: initial positions; prescribed nodes at their reference
    std::vector<NodalMass> masses;
    std::vector<std::shared_ptr<Force>> forces;
    std::vector<Prescription> prescriptions;
    double length_scale = 1;                    // [m]
    std::shared_ptr<GapSource> gaps = nullptr;  // null: contact, if any, acts by forces
    std::vector<Tie> ties = {};                 // neither tied nodes nor their corners are prescribed
    /// If several processes share the nodes, masses and forces are those of a process's own elements. A process holds
    /// all nodes on which they act, and the corners of every tied node it holds. All processes have the same list of
    /// forces. Nodes here are those that the process knows.
    NodeHolders holders = {};
  };
  explicit MechanicalSystem(Parts parts);
  ~MechanicalSystem() override;

  SystemTraits traits() const override;
  const MassMatrix& inertia() const override { return assembler_->mass(); }
  Vector force(const State& u) const override;
  Vector linearize(const State& u, Definiteness, Tangent& T) override;
  std::optional<Potentials> potentials(const State& u) const override;
  double max_step(const Vector& q, const Vector& dq, double t0, double t1) const override;
  /// Describes the obstruction if max_step is less than 1: "something would be passed through".
  std::string what_stops(const Vector& q, const Vector& dq, double t0, double t1) const;
  void stand_still(std::optional<double> share) override;
  double max_step_to_share(const Vector& q, const Vector& dq, double t, double share) const override;
  void begin_step(const State& u) override;
  Matrix rigid_motions(const State& u) const override;

  const UnknownMap& map() const { return map_; }
  const ForceList& forces() const { return forces_; }
  const NodalMasses& masses() const { return masses_; }

  /// Nodes known to this process: all of the scene, or fewer if bodies are made by parts. Full vectors are over these.
  int nodes() const { return map_.nodes(); }
  const std::vector<int>& free_nodes() const { return map_.free_nodes(); }
  /// Scene numbers on all processes, ascending; includes nodes that are held in some directions only.
  const std::vector<int>& prescribed_nodes() const { return map_.prescribed_in_scene(); }
  const NodeHolders& holders() const { return map_.holders(); }
  const Communicator& processes() const { return map_.space().processes(); }
  bool scripted() const { return map_.scripted(); }

  /// The time of the next release of nodes [s]; ∞ if there is none.
  double next_release() const { return map_.next_release(); }
  /// The number of releases so far. Nodes let go at the same time count as one release.
  int releases() const { return map_.releases(); }
  /// Releases the next nodes. This changes unknowns, patterns and numbers: earlier states do not fit the system any
  /// more.
  void release_next() { arrange(next_release()); }
  /// Returns to the situation after k releases; nodes released later are held again.
  void release_first(int k);

  /// restrict_to_free: the unknowns' part of a full vector. full: the full state (3N) for a state of the unknowns.
  Vector restrict_to_free(const Vector& full) const { return map_.restrict_to_free(full); }
  State full(const State& u) const { return map_.full(u, still_); }
  PrescribedMotion prescribed(double t) const { return map_.prescribed(t, still_); }
  /// A displacement, velocity or acceleration of all nodes (3N) from that of the unknowns; zero at prescribed nodes.
  Vector spread(const Vector& x) const { return map_.spread(x); }
  /// The state at time t with these full positions and velocities. Prescribed nodes follow their prescription.
  State state(const Vector& positions, const Vector& velocities, double t) const {
    return map_.state(positions, velocities, t);
  }
  /// full_force: the force of this process's elements on all nodes at a full state. free_force: from it, the whole
  /// force on the unknowns.
  Vector full_force(const State& all) const { return full_force(all, ForceGroup::all); }
  Vector free_force(const Vector& full, double t) const;

  /// The numbers that may be changed; null: none.
  void offer(std::shared_ptr<ParameterSource> parameters) { parameters_ = std::move(parameters); }
  ParameterSource* parameters() const { return parameters_.get(); }
  /// Between two steps: other forces in place of some, which go on with their memory, and other masses. The unknowns
  /// stay. Returns whether traits() have changed, so that the method must be made anew.
  bool change(const SystemChange& change);

  /// Reserves the system for a simulation, from this state: the system as it was made, but for the nodes that are free
  /// there. Forces learn during a motion, patterns grow, and nodes are released: two motions cannot share a system.
  /// Throws std::logic_error while an earlier claim lives.
  std::shared_ptr<void> claim(const State& start);
  /// Lets forces learn from the state at the start of a step; see LearningForce::adapt.
  bool adapt(const State& u, double budget);
  /// Lets forces become stiffer if they allowed too much strain at u; see LearningForce::stiffen.
  bool stiffen(const State& u);
  /// Messages for the user about strains at u.
  std::vector<std::string> remarks(const State& u) const;
  /// Everything the forces have learned.
  std::vector<double> memory() const { return forces_.memory(); }
  void restore(const std::vector<double>& memory) { forces_.restore(memory); }
  /// Drops couplings added by contact and the data kept by the mass solver, so that later results depend on the state
  /// and the memory only.
  void forget() { assembler_->forget(); }

 private:
  class Part;     // this system with a subset of its forces
  class Contact;  // its ContactPart
  class Lasting;  // its contact part when nothing collides

  void make_contact();
  /// See ContactPart::driven.
  std::string driven(ForceGroup implicit) const;
  /// Builds everything that depends on which prescriptions are active.
  void arrange(double released);
  Vector full_force(const State& all, ForceGroup group) const;
  Vector force_of(const State& u, ForceGroup group) const;
  Vector linearize_by(const State& u, Definiteness, Tangent& T, ForceGroup group);
  std::optional<Potentials> potentials_of(const State& u, ForceGroup group) const;
  double max_step_of(const Vector& q, const Vector& dq, double t0, double t1, const ForceList::Forces& forces) const;
  /// For full positions.
  double max_step_along(const Vector& from, const Vector& d, double t0, double t1,
                        const ForceList::Forces& forces) const;
  /// The force of a group on the unknowns, from its force on all nodes. Implicit forces do not move prescribed masses.
  Vector group_force(const Vector& full, double t, ForceGroup group) const;
  /// A full force summed over all processes, on the unknowns.
  Vector gathered(const Vector& full) const;

  ForceList forces_;
  NodalMasses masses_;
  double length_scale_;
  UnknownMap map_;
  ConnectedParts parts_;
  std::optional<Assembler> assembler_;                // of the map
  std::unique_ptr<ContactPart> contact_;              // null without contact forces
  std::unique_ptr<NearGaps> near_gaps_;               // null without a source
  std::optional<double> still_;                       // in statics, the share at which prescribed nodes stand still
  std::vector<std::vector<double>> memory_at_start_;  // of each force
  std::shared_ptr<ParameterSource> parameters_;
  std::weak_ptr<void> claimed_;
};

}  // namespace limber
