#pragma once
/// A force on the nodes of all bodies, prescribed ones included. It receives full states (q and v are 3N, node i at
/// 3i…3i+2), adds to f, and adds its tangent block by block to the free part of K and D.

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "limber/core/parallel.hpp"
#include "limber/model/block_pattern.hpp"
#include "limber/model/system.hpp"

namespace limber {

/// Destination of unsymmetric blocks of a tangent. *matrix is created on this pattern with the first of them.
struct UnsymmetricPart {
  const BlockPattern* pattern = nullptr;
  SparseMatrix* matrix = nullptr;
};

/// c u uᵀ, a part of K that couples all nodes of u (3N, prescribed ones included); c ≥ 0.
struct RankOne {
  Vector u;
  double c;
};

/// Collects K −= ∂f/∂q and D −= ∂f/∂v on the free nodes. Blocks at prescribed nodes are dropped. With lower storage,
/// blocks above the diagonal are dropped too, since their transposes are also added.
class TangentBuilder {
 public:
  TangentBuilder(const BlockPattern& pattern, std::span<const int> free_index, Definiteness d, double* K, double* D,
                 UnsymmetricPart unsymmetric = {}, std::vector<RankOne>* low_rank = nullptr)
      : pattern_(pattern),
        free_index_(free_index),
        definiteness_(d),
        K_(K),
        D_(D),
        unsymmetric_(unsymmetric),
        low_rank_(low_rank) {}

  /// Block (a, b) of K: −∂f_a/∂q_b [N/m]; of D: −∂f_a/∂v_b [N·s/m]. a, b count all nodes.
  void add_stiffness(int a, int b, const Mat3& block) { add(pattern_, K_, a, b, block); }
  void add_damping(int a, int b, const Mat3& block) { add(pattern_, D_, a, b, block); }
  /// Many matrices of up to four nodes (Block: NodeMatrix) or of any number (LargeNodeMatrix). make(k, m) is called in
  /// parallel for k in 0 … count − 1 and must set m completely.
  template <class Block = NodeMatrix, class Make>
  void add_stiffness(std::size_t count, const Make& make) {
    add<Block>(pattern_, K_, count, make);
  }
  template <class Block = NodeMatrix, class Make>
  void add_damping(std::size_t count, const Make& make) {
    add<Block>(pattern_, D_, count, make);
  }
  /// Unsymmetric matrices of K of a force whose traits are otherwise symmetric.
  template <class Block = NodeMatrix, class Make>
  void add_unsymmetric_stiffness(std::size_t count, const Make& make) {
    if (count > 0) add<Block>(*unsymmetric_.pattern, unsymmetric_values(), count, make);
  }

  /// A rank-one part of K, kept apart from the sparse matrix.
  void add_rank_one(RankOne part) {
    if (low_rank_) low_rank_->push_back(std::move(part));
  }

  bool projected() const { return definiteness_ == Definiteness::projected; }
  const BlockPattern& pattern() const { return pattern_; }
  /// Free number of each node, −1 where prescribed.
  std::span<const int> free_index() const { return free_index_; }
  /// Raw values on pattern(), for forces that know their slots.
  double* stiffness_values() { return K_; }
  double* damping_values() { return D_; }

 private:
  void add(const BlockPattern& pattern, double* values, int a, int b, const Mat3& block);
  void count_free(std::span<int> nodes) const;
  double* unsymmetric_values();

  template <class Block, class Make>
  void add(const BlockPattern& pattern, double* values, std::size_t count, const Make& make) {
    // A batch fits in the cache; each one costs a pass over all nodes.
    const std::size_t batch = std::max<std::size_t>(1024, static_cast<std::size_t>(pattern.nodes()) / 4);
    std::vector<Block> some(std::min(batch, count));
    std::vector<NodeMatrixView> views(some.size());
    for (std::size_t first = 0; first < count; first += batch) {
      const std::size_t n = std::min(batch, count - first);
      constexpr double cost = 500;  // [ns]
      in_pieces(
          n, 32,
          [&](std::size_t i) {
            make(first + i, some[i]);
            count_free(some[i].nodes);
            views[i] = {some[i].nodes, some[i].A.data()};
          },
          cost);
      pattern.add({views.data(), n}, values);
    }
  }

  const BlockPattern& pattern_;
  std::span<const int> free_index_;
  Definiteness definiteness_;
  double *K_, *D_;
  UnsymmetricPart unsymmetric_;
  std::vector<RankOne>* low_rank_;
};

/// The column of the energy table to which a force's potential belongs.
enum class EnergyKind { elastic, gravitational, contact, other };

struct ForceTraits {
  bool symmetric = true;
  bool velocity_dependent = false;
  bool has_potential = true;  // f = −∂W/∂q − ∂R/∂v
  bool time_dependent = false;
  bool dissipates = false;  // has no potential; apart from the energy it stores, its work is never positive: damping
  bool wholly_implicit = false;  // in every method: contact, and forces that keep rigid parts in shape
  Lag lag = Lag::none;
  EnergyKind energy = EnergyKind::other;
};

using Couplings = std::vector<std::pair<int, int>>;

/// A step from a to b (full states). The kinetic energy changes by exactly ½ (v_a + v_b) · M (v_b − v_a), so a force
/// that acts during the step does the work f · way.
struct Travel {
  const State &a, &b;
  const Vector& way;  // free nodes: ½ h (v_a + v_b), others: q_b − q_a; 3N [m]
};

class Force {
 public:
  virtual ~Force() = default;
  virtual ForceTraits traits() const = 0;
  /// Appends the pairs of nodes that the tangent couples; (i, i) if the force acts on a node by itself.
  virtual void add_couplings(Couplings& pairs) const = 0;
  /// Called when the pattern is known, and again after each change of it.
  virtual void bind(const BlockPattern&, std::span<const int> /*free_index*/) {}

  virtual void add_force(const State& u, Vector& f) const = 0;
  virtual void add_tangent(const State& u, TangentBuilder& T) const = 0;
  virtual void linearize(const State& u, Vector& f, TangentBuilder& T) const {
    add_force(u, f);
    add_tangent(u, T);
  }
  virtual std::optional<Potentials> potentials(const State& u) const = 0;
  /// The largest s in (0, 1] for which q + s·dq stays in the force's domain, with a margin, while things moved by the
  /// force itself go from their places at t0 to those at t1.
  virtual double max_step(const Vector& /*q*/, const Vector& /*dq*/, double /*t0*/, double /*t1*/) const { return 1; }
  /// The work [J] put in during a step because the force depends on time, if it acts as at the state u of that step;
  /// for moving obstacles, their work. By default: the change of W plus the work of the force at the time of u.
  virtual double driving_work(const Travel& step, const State& u) const;

 protected:
  /// W(q_b, t_b) − W(q_a, t_a) plus the work of the force at time t from q_a to q.
  double beyond_work_at(const Travel& step, const Vector& q, double t) const;
};

/// Additional interfaces that a force may implement.

/// A force that takes energy out of the motion by damping.
class DampingForce {
 public:
  virtual ~DampingForce() = default;
  virtual double damping_power(const State&) const = 0;  // [W], never negative
};

/// A force that learns from the states at the start of steps.
class LearningForce {
 public:
  virtual ~LearningForce() = default;
  virtual void begin_step(const State&) {}
  /// Called by the driver before a step that starts with things touching. Changes the force, putting in at most about
  /// `budget` [J]. Returns whether it changed.
  virtual bool adapt(const State&, double /*budget*/) { return false; }
  /// By how much parts that should keep their shape are strained, at a state where the forces of a step acted. On
  /// several processes: 0 for parts that another process evaluates.
  virtual std::vector<double> strains(const State&) const { return {}; }
  /// Called by the driver with these strains. Returns whether the force became stiffer, so that the step must be
  /// repeated.
  virtual bool stiffen(const std::vector<double>& /*strains*/) { return false; }
  /// A message for the user about strains at the end of a step; empty if there is none.
  virtual std::string remark(const std::vector<double>& /*strains*/) const { return {}; }
  /// Learned quantities that a restart needs.
  virtual std::vector<double> memory() const { return {}; }
  virtual void restore(const std::vector<double>& /*memory*/) {}
};

/// An external load. Statics applies it in parts.
class LoadForce {
 public:
  virtual ~LoadForce() = default;
  /// Sets the share of the load that acts from now on; initially 1, the whole load.
  virtual void apply(double share) = 0;
};

/// A force between colliding things.
class ContactForce {
 public:
  virtual ~ContactForce() = default;
  /// Appends the pairs of nodes that the tangent at u couples in addition to add_couplings, and pairs it may couple
  /// soon.
  virtual void add_couplings_at(const State&, Couplings& now) const = 0;
  virtual void add_couplings_soon(const State&, Couplings& /*soon*/) const {}
  virtual double smallest_gap(const State&) const { return std::numeric_limits<double>::infinity(); }
  virtual void update_lagged(const State&) {}
  /// See ContactPart.
  virtual void begin_iterates() {}
  /// Couples friction again that became lagged in this stage. Returns whether there is any.
  virtual bool couple_again() { return false; }
  /// The power [W] dissipated by friction.
  virtual double friction_power(const State&) const { return 0; }
};

}  // namespace limber
