#pragma once
/// Nodes, masses, forces and prescribed motion made into M q̈ = f(q, v, t) on the free degrees of freedom. With p the
/// prescribed nodes:  M_ff q̈ = f_f(q, q_p(t), v, v_p(t), t) − M_fp q̈_p(t). Where nodes are tied to others, x_f = W z:
/// the unknowns are z, and  WᵀM_ffW z̈ = Wᵀ(…).

#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "limber/core/nodes.hpp"
#include "limber/model/force.hpp"
#include "limber/model/gap_source.hpp"
#include "limber/model/guides.hpp"
#include "limber/model/motion.hpp"
#include "limber/model/ties.hpp"

namespace limber {

/// Mass m [kg] that couples nodes a and b (a = b: on the diagonal), as m·I₃. Off-diagonal pairs are given once.
struct NodalMass {
  int a, b;
  double m;
};

/// A group of nodes that move as `motion` says; pinned nodes have the motion that stands still. From `until` on they
/// may be released: then they go on with the velocity that they had, the one from the left where it jumps.
struct Prescription {
  std::vector<int> nodes;
  Motion motion;
  double until = std::numeric_limits<double>::infinity();  // [s]
  /// The projection on the directions in which they are held. Prescriptions of one node hold orthogonal ones.
  Mat3 held = Mat3::Identity();
};

struct Energies {
  double kinetic = 0, elastic = 0, gravitational = 0, contact = 0, other = 0;  // [J]
  double total() const { return kinetic + elastic + gravitational + contact + other; }
};

/// A state at which forces acted during a step, and with which weight; weights sum to 1.
struct ActingState {
  const State* u;
  double weight;
};

struct WorkPutIn {
  double work = 0;   // [J] negative: taken out
  double doubt = 0;  // [J] how much more it is with the forces of the step's end, or the mean of both ends: schemes
                     // that remember weigh the forces of earlier steps too; and a share of what forces without a
                     // potential do
};

class MechanicalSystem final : public System {
 public:
  struct Parts {
    Vector positions;  // 3N [m]: where the nodes are at the start, prescribed ones at their reference
    std::vector<NodalMass> masses;
    std::vector<std::shared_ptr<Force>> forces;
    std::vector<Prescription> prescriptions;
    double length_scale = 1;                    // [m]
    std::shared_ptr<GapSource> gaps = nullptr;  // null: contact is by forces, if any
    std::vector<Tie> ties = {};                 // neither node nor corners are prescribed
    /// Where several processes share the nodes, masses and forces are those of a process's own elements. It holds all
    /// nodes that they act on; a process that holds a tied node holds its corners. All have the same list of forces.
    /// Nodes here are those that it knows.
    NodeHolders holders = {};
  };
  explicit MechanicalSystem(Parts parts);
  ~MechanicalSystem() override;

  SystemTraits traits() const override;
  const MassMatrix& inertia() const override { return mass_; }
  Vector force(const State& u) const override;
  Vector linearize(const State& u, Definiteness, Tangent& T) override;
  std::optional<Potentials> potentials(const State& u) const override;
  double max_step(const Vector& q, const Vector& dq, double t0, double t1) const override;
  /// What is in the way where max_step is less than 1: "something would be passed through".
  std::string what_stops(const Vector& q, const Vector& dq, double t0, double t1) const;
  void stand_still(std::optional<double> share) override;
  double max_step_to_share(const Vector& q, const Vector& dq, double t, double share) const override;
  void begin_step(const State& u) override;
  Matrix rigid_motions(const State& u) const override;

  /// Those that this process knows: all of the scene, but where bodies are made by parts. Full vectors are of these.
  int nodes() const { return static_cast<int>(free_index_.size()); }
  const std::vector<int>& free_nodes() const { return free_nodes_; }
  /// By their scene numbers, ascending, on all processes; also those that are held in some directions only.
  const std::vector<int>& prescribed_nodes() const { return prescribed_in_scene_; }
  const Communicator& processes() const { return space_.processes(); }
  const NodeHolders& holders() const { return holders_; }
  /// The state of all nodes of the scene on every process; in a full state, nodes that a process does not hold stand
  /// where they were at the start.
  State everywhere(const State& u) const;
  /// The like on process 0 alone, in pieces: calls it there with the first node, and positions and velocities from that
  /// one on.
  using ShowNodes = std::function<void(int first, const Vector& q, const Vector& v)>;
  void show(const State& u, const ShowNodes& piece) const;
  bool scripted() const { return scripted_; }
  /// When the next nodes are to be released [s]; ∞: none are.
  double next_release() const;
  /// Lets these go, or holds all again that are held at the start. Unknowns, patterns and numbers are then others:
  /// states of before belong to the system of before.
  void release_next();
  void hold_all();
  /// How many releases there have been, of nodes that are let go at the same time together; and those until the k-th
  /// one: what is released later is held again.
  int releases() const;
  void release_first(int k);
  /// The unknowns' part of a full vector, and the full state (3N) of the unknowns at their time.
  Vector restrict_to_free(const Vector& full) const;
  State full(const State& u) const;
  /// A displacement, velocity or acceleration of all nodes (3N) from that of the unknowns; zero where prescribed.
  Vector spread(const Vector& x) const;

  /// For one who drives it, from this state: the system as it was made, but for the nodes that are free there. Forces
  /// learn during a motion, patterns grow, and nodes are released: two motions cannot share a system. Throws
  /// std::logic_error while the one who asked last keeps what it was given.
  std::shared_ptr<void> claim(const State& start);

  /// Lets forces learn from the state that a step starts from; see LearningForce::adapt.
  bool adapt(const State& u, double budget);
  /// Lets forces become stiffer that have let things be strained at u; see LearningForce::stiffen.
  bool stiffen(const State& u);
  /// What the user should hear of strains at u.
  std::vector<std::string> remarks(const State& u) const;
  /// What the forces have learnt, all together.
  std::vector<double> memory() const;
  void restore(const std::vector<double>& memory);
  /// Forgets the couplings that came with contact, and what the solver of the mass has learnt: what follows depends on
  /// the state and the memory only.
  void forget();
  /// The state at time t with these full positions and velocities (prescribed nodes are as prescribed).
  State state(const Vector& positions, const Vector& velocities, double t) const;

  Energies energies(const State& u) const;
  /// How exactly the elastic energy is evaluated [J]: by how much it is another one where all nodes are shifted alike.
  double elastic_rounding(const State& u) const;
  /// The power [W] that damping forces take out of the motion.
  double damping_power(const State& u) const;
  double friction_power(const State& u) const;
  /// The work that scripts, moving obstacles, loads that change and forces without a potential put in during a step
  /// from a to b, if they act as at these states (of the unknowns) with these weights.
  WorkPutIn work_put_in(const State& a, const State& b, std::span<const ActingState> acting) const;
  /// Force [N] that holds or drives each prescribed node, 3P, in the order of prescribed_nodes().
  Vector reactions(const State& u) const;
  double total_mass() const;
  const std::vector<std::shared_ptr<Force>>& forces() const { return forces_; }

 private:
  struct Prescribed {  // positions, velocities and accelerations of the prescribed nodes, what is held of them, 3P each
    Vector x, v, a;
  };
  using Forces = std::vector<std::shared_ptr<Force>>;
  /// Forces that act together.
  struct ForceGroup {
    Forces list = {};
    bool implicit_only = false;       // none of them is smooth: inertia of prescribed nodes is not theirs
    bool collides = false;            // forces of collisions are among them
    bool velocity_dependent = false;  // their tangent has a D
    bool time_dependent = false;
    bool has_potential = true;

    void add(const std::shared_ptr<Force>& force);
  };
  /// What else a force is; null: nothing of that kind.
  struct ForceRoles {
    ContactForce* contact;
    LearningForce* learning;
    DampingForce* damping;
    LoadForce* load;
  };
  class Part;     // this system with some of its forces
  class Contact;  // its contact part
  class Lasting;  // the same where nothing collides
  class Near;     // its gaps

  void make_contact();
  /// See ContactPart::driven.
  std::string driven(const ForceGroup& implicit) const;
  /// visit(learning force, its strains at u, those of all processes).
  template <class Visit>
  void each_strained(const State& u, const Visit& visit) const;
  bool guided(int node) const { return !guide_of_.empty() && guide_of_[ix(node)] >= 0; }
  /// What of a vector at a node is free to move.
  Vec3 free_part(int node, const Vec3& x) const;
  /// Numbers the nodes and makes what follows from that, with the prescriptions that hold.
  void arrange();
  Prescribed prescribed(double t) const { return prescribed(t, still_); }
  Prescribed prescribed(double t, std::optional<double> still) const;
  /// Whether the pattern grows where things meet.
  bool grows() const;
  void make_pattern(const Couplings& more);
  void make_mass();
  /// Lets the pattern grow to hold the contact forces' tangent at a full state.
  void couple(const State& all);
  Vector full_force(const State& all, const Forces& forces) const;
  Vector force_of(const State& u, const ForceGroup& group) const;
  Vector linearize_by(const State& u, Definiteness, Tangent& T, const ForceGroup& group);
  std::optional<Potentials> potentials_of(const State& u, const Forces& forces) const;
  double max_step_of(const Vector& q, const Vector& dq, double t0, double t1, const Forces& forces) const;
  /// The whole force on the unknowns, from that of a process's own elements on all nodes.
  Vector free_force(const Vector& full, double t) const;
  /// The force on the unknowns from that on all nodes, and its sum over all processes.
  Vector gather(const Vector& full) const;
  Vector added_up(Vector f) const;
  TangentBuilder builder(Definiteness, Tangent& T, const ForceGroup& group, std::vector<RankOne>& low_rank);
  /// From all free nodes to the unknowns, where nodes are tied.
  void reduce(Tangent& T, const ForceGroup& group);
  LowRank reduced(const std::vector<RankOne>& parts) const;
  /// ½ h (v_a + v_b) of what is free, q_b − q_a of what is held; 3N.
  Vector way(const State& a, const State& b, const State& full_a, const State& full_b) const;
  /// Of this process, if all forces act as at the full state u.
  double work_put_in_at(const Travel& step, const State& u, double* of_other_forces = nullptr) const;
  double work_of_scripts(const State& full_a, const State& full_b, const Vector& f) const;
  void find_parts(const std::vector<std::pair<int, int>>& coupled);
  /// Names of groups of nodes, which may go on where another process holds them: the smallest becomes that of all.
  void unite_names(const std::vector<int>& root, std::vector<int>& name) const;
  void find_guides(const std::vector<int>& holds);
  /// All components of the unknowns; zero at nodes that are wholly prescribed.
  Vector on_nodes(const Vector& x) const;

  /// Of full positions.
  double max_step_along(const Vector& from, const Vector& d, double t0, double t1, const Forces& forces) const;

  std::weak_ptr<void> claimed_;
  std::vector<double> memory_at_start_;
  Vector reference_;  // 3N
  std::vector<NodalMass> masses_;
  std::vector<std::shared_ptr<Force>> forces_;
  std::shared_ptr<GapSource> gaps_;
  std::vector<Prescription> prescriptions_;
  std::vector<Tie> all_ties_;
  double released_ = -std::numeric_limits<double>::infinity();  // [s] prescriptions until then do not hold any more
  std::vector<int> prescription_of_;                            // per prescribed node; −1: guided
  std::vector<GuidedNode> guided_;                              // held in some directions only: prescribed and free
  std::vector<int> guide_of_;                                   // per node its place in guided_, or −1; empty: none
  Guides guides_;                                               // the same, for the unknowns
  std::vector<int> free_nodes_, prescribed_nodes_;
  std::vector<int> prescribed_in_scene_;       // scene numbers, of all processes
  std::vector<int> free_index_;                // per node, −1 where wholly prescribed
  std::vector<int> prescribed_index_;          // per node, −1 where wholly free
  std::vector<int> unknown_nodes_;             // free and not tied
  std::vector<char> tied_;                     // per node
  Vector unknown_positions_;                   // at the start
  std::vector<std::vector<int>> parts_;        // their numbers, in groups that forces hold together
  std::vector<char> guided_parts_;             // per group
  std::vector<std::vector<int>> loose_parts_;  // those of the groups without a prescribed node
  Couplings fixed_couplings_;                  // of free nodes (free numbers), a > b, ascending, without repeats;
                                               // kept where the pattern grows
  Storage storage_ = Storage::lower;
  Ties ties_;
  NodeHolders holders_;
  Space space_;                                              // of the unknowns
  BlockPattern pattern_;                                     // of the free nodes
  MassMatrix mass_;                                          // of the unknowns
  Vector node_K_, node_D_;                                   // on pattern_, where nodes are tied
  std::unique_ptr<ContactPart> contact_;                     // null without contact forces
  std::unique_ptr<NearGaps> near_gaps_;                      // null without a source
  ForceGroup all_forces_, smooth_forces_, implicit_forces_;  // the last are wholly implicit in every method
  ForceGroup apart_forces_, lasting_forces_;                 // all and the implicit ones but for those of collisions
  std::vector<ForceRoles> roles_;                            // of all forces
  Lag lag_ = Lag::none;
  bool scripted_ = false, coupled_mass_ = false, time_dependent_ = false;
  double length_scale_ = 1;
  bool grown_ = false;                // pattern_ has couplings that came with contact
  BlockPattern unsymmetric_pattern_;  // of the free nodes: what of coupled friction is not symmetric
  std::optional<double> still_;       // in statics, the share at which prescribed nodes stand still
};

}  // namespace limber
