#pragma once
/// A force on the nodes of all bodies, prescribed ones included. It sees full states (q and v are 3N, node i at
/// 3i…3i+2) and adds to f; its tangent goes block by block into the free part of K and D.

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

/// Where the blocks of a tangent go that are not symmetric: *matrix is made on this pattern with the first of them.
struct UnsymmetricPart {
  const BlockPattern* pattern = nullptr;
  SparseMatrix* matrix = nullptr;
};

/// c u uᵀ, a part of K that couples all nodes of u (3N, prescribed ones included); c ≥ 0.
struct RankOne {
  Vector u;
  double c;
};

/// Collects K −= ∂f/∂q and D −= ∂f/∂v on the free nodes. Blocks at prescribed nodes are dropped; with lower
/// storage a block above the diagonal is dropped too, since its mirror image is given as well.
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
  /// Many matrices of up to four nodes (Block: NodeMatrix) or of any number (LargeNodeMatrix): make(k, m) is called in
  /// parallel for k in 0 … count − 1 and sets m wholly.
  template <class Block = NodeMatrix, class Make>
  void add_stiffness(std::size_t count, const Make& make) {
    add<Block>(pattern_, K_, count, make);
  }
  template <class Block = NodeMatrix, class Make>
  void add_damping(std::size_t count, const Make& make) {
    add<Block>(pattern_, D_, count, make);
  }
  /// Matrices of K of a force that calls itself symmetric but for these.
  template <class Block = NodeMatrix, class Make>
  void add_unsymmetric_stiffness(std::size_t count, const Make& make) {
    if (count > 0) add<Block>(*unsymmetric_.pattern, unsymmetric_values(), count, make);
  }

  /// A part of K that is kept apart from the sparse one.
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
    // A batch stays in the cache; each costs a walk over all nodes.
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

/// Which column of the energy table a force's potential belongs to.
enum class EnergyKind { elastic, gravitational, contact, other };

struct ForceTraits {
  bool symmetric = true;
  bool velocity_dependent = false;
  bool has_potential = true;  // f = −∂W/∂q − ∂R/∂v
  bool time_dependent = false;
  bool dissipates = false;       // has no potential, but beyond what it stores its work is never positive: damping
  bool wholly_implicit = false;  // in every method: contact, and what keeps rigid parts in shape
  Lag lag = Lag::none;
  EnergyKind energy = EnergyKind::other;
};

using Couplings = std::vector<std::pair<int, int>>;

/// A step from a to b, as those who drive the motion see it (full states). The kinetic energy changes by exactly
/// ½ (v_a + v_b) · M (v_b − v_a): so a force that acts during the step gives it f · way.
struct Travel {
  const State &a, &b;
  const Vector& way;  // free nodes: ½ h (v_a + v_b), others: q_b − q_a; 3N [m]
};

class Force {
 public:
  virtual ~Force() = default;
  virtual ForceTraits traits() const = 0;
  /// Appends the pairs of nodes that the tangent couples; (i, i) for a node that the force acts on by itself.
  virtual void add_couplings(Couplings& pairs) const = 0;
  /// Called when the pattern is known, and again whenever it has changed.
  virtual void bind(const BlockPattern&, std::span<const int> /*free_index*/) {}

  virtual void add_force(const State& u, Vector& f) const = 0;
  virtual void add_tangent(const State& u, TangentBuilder& T) const = 0;
  virtual void linearize(const State& u, Vector& f, TangentBuilder& T) const {
    add_force(u, f);
    add_tangent(u, T);
  }
  virtual std::optional<Potentials> potentials(const State& u) const = 0;
  /// The largest s in (0, 1] for which q + s·dq stays in the force's domain, with some reserve, while what the force
  /// itself moves goes from where it is at t0 to where it is at t1.
  virtual double max_step(const Vector& /*q*/, const Vector& /*dq*/, double /*t0*/, double /*t1*/) const { return 1; }
  /// The work [J] that is put in during a step because the force depends on time, if it acts as at the state u of that
  /// step: where something moves, by what moves it. Here it is what W changes beyond the work at the time of u.
  virtual double driving_work(const Travel& step, const State& u) const;

 protected:
  /// W(q_b, t_b) − W(q_a, t_a), and the work of the force of the time t from q_a to q.
  double beyond_work_at(const Travel& step, const Vector& q, double t) const;
};

/// A force that also is one of the following is asked for that too.

/// It takes energy out of the motion by damping.
class DampingForce {
 public:
  virtual ~DampingForce() = default;
  virtual double damping_power(const State&) const = 0;  // [W], never negative
};

/// It learns from the states that steps start from.
class LearningForce {
 public:
  virtual ~LearningForce() = default;
  virtual void begin_step(const State&) {}
  /// Called by the driver before a step that starts where things touch: changes the force, putting in about `budget`
  /// [J] at most. Whether it is another one now.
  virtual bool adapt(const State&, double /*budget*/) { return false; }
  /// By how much it lets things be strained that are to keep their shape, at a state where the forces of a step have
  /// acted. Several processes: 0 where another one knows.
  virtual std::vector<double> strains(const State&) const { return {}; }
  /// Called by the driver with these: whether the force has become stiffer, so that the step has to be taken again.
  virtual bool stiffen(const std::vector<double>& /*strains*/) { return false; }
  /// What the user should hear of strains at the end of a step; empty: nothing.
  virtual std::string remark(const std::vector<double>& /*strains*/) const { return {}; }
  /// What it has learnt and a restart needs.
  virtual std::vector<double> memory() const { return {}; }
  virtual void restore(const std::vector<double>& /*memory*/) {}
};

/// It acts from outside. Statics applies it in parts.
class LoadForce {
 public:
  virtual ~LoadForce() = default;
  /// From now on this share of it acts; 1, as at the start, is all of it.
  virtual void apply(double share) = 0;
};

/// It acts between things that meet.
class ContactForce {
 public:
  virtual ~ContactForce() = default;
  /// Appends the pairs of nodes that the tangent at u couples beside add_couplings, and those that it may couple soon.
  virtual void add_couplings_at(const State&, Couplings& now) const = 0;
  virtual void add_couplings_soon(const State&, Couplings& /*soon*/) const {}
  virtual double smallest_gap(const State&) const { return std::numeric_limits<double>::infinity(); }
  virtual void update_lagged(const State&) {}
  /// Friction that became lagged in this stage is coupled again; whether there is any.
  virtual bool couple_again() { return false; }
  /// The power [W] that it takes out of the motion by friction.
  virtual double friction_power(const State&) const { return 0; }
};

}  // namespace limber
