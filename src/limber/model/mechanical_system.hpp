#pragma once
/// Nodes, masses, forces and prescribed motion made into M q̈ = f(q, v, t) on the free degrees of freedom. With p the
/// prescribed nodes:  M_ff q̈ = f_f(q, q_p(t), v, v_p(t), t) − M_fp q̈_p(t).

#include <memory>
#include <mutex>
#include <vector>

#include "limber/linalg/linear_solver.hpp"
#include "limber/model/force.hpp"
#include "limber/model/motion.hpp"

namespace limber {

/// Mass m [kg] that couples nodes a and b (a = b: on the diagonal), as m·I₃. Off-diagonal pairs are given once.
struct NodalMass {
  int a, b;
  double m;
};

/// A group of nodes that move as `motion` says; pinned nodes have the motion that stands still.
struct Prescription {
  std::vector<int> nodes;
  Motion motion;
};

struct Energies {
  double kinetic = 0, elastic = 0, gravitational = 0, other = 0;  // [J]
  double total() const { return kinetic + elastic + gravitational + other; }
};

class MechanicalSystem final : public System {
 public:
  struct Parts {
    Vector positions;  // 3N [m]: where the nodes are at the start, prescribed ones at their reference
    std::vector<NodalMass> masses;
    std::vector<std::shared_ptr<Force>> forces;
    std::vector<Prescription> prescriptions;
    double length_scale = 1;  // [m]
  };
  explicit MechanicalSystem(Parts parts);

  Index size() const override { return 3 * static_cast<Index>(free_nodes_.size()); }
  bool symmetric() const override { return pattern_.storage() == Storage::lower; }
  bool velocity_dependent() const override { return velocity_dependent_; }
  bool time_dependent() const override { return time_dependent_; }
  const SparseMatrix& mass() const override { return mass_; }
  Vector apply_mass(const Vector& x) const override;
  Vector solve_mass(const Vector& f) const override;
  Vector force(const State& u) const override;
  void tangent(const State& u, Definiteness, Tangent& T) const override;
  Vector linearize(const State& u, Definiteness, Tangent& T) const override;
  std::optional<Potentials> potentials(const State& u) const override;
  double max_step(const Vector& q, const Vector& dq, double t) const override;
  void begin_step(const State& u) override;
  double length_scale() const override { return length_scale_; }
  Matrix rigid_motions(const State& u) const override;

  int nodes() const { return static_cast<int>(free_index_.size()); }
  const std::vector<int>& free_nodes() const { return free_nodes_; }
  /// Ascending.
  const std::vector<int>& prescribed_nodes() const { return prescribed_nodes_; }
  bool scripted() const { return scripted_; }
  /// The free part of a full vector, and the full state (3N) of a free one at its time.
  Vector restrict_to_free(const Vector& full) const;
  State full(const State& u) const;

  /// The state at time t with these full positions and velocities (prescribed nodes are as prescribed).
  State state(const Vector& positions, const Vector& velocities, double t) const;

  Energies energies(const State& u) const;
  /// The power [W] that damping forces take out of the motion.
  double damping_power(const State& u) const;
  /// Force [N] that holds or drives each prescribed node, 3P, in the order of prescribed_nodes().
  Vector reactions(const State& u) const;
  double total_mass() const;
  const std::vector<std::shared_ptr<Force>>& forces() const { return forces_; }

 private:
  struct Prescribed {  // positions, velocities and accelerations of the prescribed nodes, 3P each
    Vector x, v, a;
  };
  Prescribed prescribed(double t) const;
  Vector full_force(const State& all) const;
  void finish_force(const Vector& full, double t, Vector& f) const;
  TangentBuilder builder(Definiteness, Tangent& T) const;
  void find_loose_parts(const std::vector<std::pair<int, int>>& coupled);

  Vector reference_;  // 3N
  std::vector<NodalMass> masses_;
  std::vector<std::shared_ptr<Force>> forces_;
  std::vector<Motion> motions_;
  std::vector<int> motion_of_;  // per prescribed node
  std::vector<int> free_nodes_, prescribed_nodes_;
  std::vector<int> free_index_;                // per node, −1 where prescribed
  std::vector<int> prescribed_index_;          // per node, −1 where free
  std::vector<std::vector<int>> loose_parts_;  // free nodes (free numbers) that no force ties to a prescribed one
  BlockPattern pattern_;
  SparseMatrix mass_;
  Vector diagonal_;  // of a lumped mass, else empty
  mutable std::unique_ptr<LinearSolver> mass_solver_;
  bool velocity_dependent_ = false, has_potential_ = true, scripted_ = false, coupled_mass_ = false,
       time_dependent_ = false;
  double length_scale_ = 1;
};

}  // namespace limber
