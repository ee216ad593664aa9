#pragma once
/// The modes that a hybrid method splits off: X of K(u₀) x = λ M x at the start of some step, kept until the refresh
/// rule says otherwise.

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "limber/linalg/modes/mode_tracker.hpp"
#include "limber/linalg/pattern.hpp"
#include "limber/linalg/row_matrix.hpp"
#include "limber/time/modal/motion.hpp"

namespace limber {

/// When modes are computed anew: once, every k steps, or when their relative residual exceeds a tolerance. By the
/// automatic rule they turn with their bodies, and are computed anew when a step couples them to the rest too much.
struct Refresh {
  enum class Rule { once, automatic, every, residual } rule = Rule::automatic;
  int every = 1;          // [steps]
  double residual = 0.1;  // of mode_errors
};

struct ModalOptions {
  static constexpr int standard_count = 10;
  std::optional<int> count = {};  // s; more are taken where s would cut a cluster. Unset: 10, or n if that is less
  Refresh refresh = {};
  NegativeModes negative = NegativeModes::grow;
  ModeSearch search = ModeSearch::automatic;
};

/// What the modes of a body must be for a step: no λ below `lowest` [1/s²], no |XᵀDX| above `most_damping` [1/s]; and
/// how the body may turn: `most_turning` is the share of turning_bodies, which the automatic rule asks for.
struct ModalLimits {
  double lowest = -std::numeric_limits<double>::infinity();
  double most_damping = std::numeric_limits<double>::infinity();
  double most_turning = std::numeric_limits<double>::infinity();
};

/// A body (what nothing attaches to others) whose modes are not: they are left out of the step's.
struct LeftOut {
  std::vector<int> unknowns;
  enum class Why { grows, damped, turns } why;
};

/// What a restart needs to go on to the same bits.
struct ModalMemory {
  Vector lambda;
  Matrix X;
  long steps_since_refresh = 0;
  Vector at;  // q of the last refresh, which X belongs to
};

/// Modes as they were computed, and for which positions of the unknowns. Never changed, so that whoever goes back to
/// an earlier step shares them.
struct KeptModes {
  ModalBasis found;
  Vector at;
  Modes restored;  // from a checkpoint and not used yet: then `found` is empty
};

/// Where a step began, to go back to.
struct ModesMark {
  std::shared_ptr<const KeptModes> kept;  // null: none were computed yet
  long steps_since_refresh = 0;
};

/// K and D at a state, reduced to the modes.
struct ReducedTangent {
  Matrix K, D;              // XᵀKX, XᵀDX: #s × s
  std::vector<Index> null;  // modes with K x = 0 to rounding: rigid motions
};

class ModalSubspace {
 public:
  /// When K is reduced to the modes: each step, or now and then, which methods with the coupling term can do with.
  enum class Checks { each_step, when_due };
  /// n: unknowns of the system. Throws InputError("method.modes", …) for a count outside 0 … n.
  ModalSubspace(const ModalOptions& options, Index n, Checks checks);

  /// Whether the modes of an earlier step will do for this one.
  enum class Use { kept_or_new, of_this_step };
  /// Linearises at u₀, refreshes the modes if it is time, and leaves out those of bodies beyond the limits. h: the
  /// step. A step that was begun and not committed is tried again: it has the modes that it had, unless
  /// `use` or shorter steps ask for others.
  void begin_step(System& system, const State& u0, double h, const ModalLimits& limits = {},
                  Use use = Use::kept_or_new);
  /// The step that was begun last has been accepted: the next one is a new step.
  void commit();

  /// Whether the modes are those of an earlier step.
  bool kept() const { return steps_since_refresh_ > 0; }

  NegativeModes negative() const { return options_.negative; }
  /// Modes of all bodies: `basis` and those that are left out, as they were when they were last computed.
  Index count() const { return all_.count(); }
  /// Those of the step.
  const ModalBasis& basis() const { return left_out_.empty() ? all_ : some_; }
  /// Whether they are those of an earlier step, kept by the automatic rule: then they are corrected after each stage.
  bool corrected() const { return options_.refresh.rule == Refresh::Rule::automatic && kept(); }
  const std::vector<LeftOut>& left_out() const { return left_out_; }
  /// Committed steps in which bodies were left out, and the sum of these bodies.
  struct LeftOutCounts {
    long steps = 0, bodies = 0;
  };
  LeftOutCounts left_out_counts() const { return left_out_counts_; }
  /// f, K, D at the step's start.
  const Linearization& start() const { return start_; }
  /// K and D reduced, there or a few steps ago: what has changed since belongs to the coupling.
  const ReducedTangent& reduced_start() const { return left_out_.empty() ? reduced_all_ : reduced_some_; }
  /// To the modes of the step.
  ReducedTangent reduce(System& system, const Tangent& T) {
    Matrix KX;
    return reduce(system, T, basis(), KX);
  }

  /// What the user should hear since the last call, such as a cluster that was kept whole.
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }
  void note_once(const std::string& note) {
    if (said_.insert(note).second) notes_.push_back(note);
  }
  long refreshes() const { return refreshes_; }  // since the construction
  ModeTracker::Counts counts() const { return tracker_.counts(); }

  /// Of all processes.
  std::optional<ModalMemory> memory() const;
  void restore(ModalMemory memory);
  /// The like without copying anything, for this object alone.
  ModesMark mark() const { return {kept_, steps_since_refresh_}; }
  void return_to(const ModesMark& mark);
  /// Forgets the modes; the next step computes them.
  void clear();

 private:
  /// Several processes seek the modes together, each with the matrices of its own elements and the rows that it holds;
  /// or each of them does, with those of the whole system. All else is done with the rows that it holds.
  struct Problem {
    SparseMatrix K, M;
    Matrix rigid;
  };
  bool together(const System& system) const;
  Problem problem_of(System& system, const State& u0, ModeSearch who);
  ReducedTangent reduce(System& system, const Tangent& T, const ModalBasis& X, Matrix& KX);
  void prepare(System& system, const State& u0);
  void turn(const System& system, const State& u0);
  std::vector<char> due(System& system);
  Vector staleness(System& system, const std::vector<Index>& columns) const;
  void refresh(System& system, const State& u0, const std::vector<char>& due = {});
  void refresh(System& system, const State& u0, const std::vector<char>& due, ModeSearch who);
  void find_bodies(System& system, const State& u0);
  bool collides() const { return std::isfinite(limits_.lowest) || std::isfinite(limits_.most_damping); }
  bool limited() const { return collides() || turning_.size() > 0; }
  void look_at_turns(System& system, const State& u0);
  bool in_use(std::size_t mode) const;
  void leave_out();
  std::vector<Index> columns_of(std::size_t body) const;

  ModalOptions options_;
  int count_;
  long most_steps_between_checks_;
  ModeTracker tracker_;
  Vector positions_;  // of the unknowns' nodes, in all; where they are needed
  ModalBasis all_, some_;
  std::shared_ptr<const KeptModes> kept_;  // all_ as it was computed
  long steps_since_refresh_ = 0, refreshes_ = 0;
  bool checked_ = false;  // reduced_all_ is of a step since the last reset
  long next_check_ = 0;   // steps since the refresh at which K is reduced again
  double h_ = 0;          // [s] of the step
  ModalLimits limits_;    // of the step
  bool begun_ = false;    // a step, not committed yet
  Linearization start_;
  ReducedTangent reduced_all_, reduced_some_;
  Matrix stiff_;                          // K X of all modes, at the start
  std::vector<std::vector<int>> bodies_;  // unknowns of each, in all
  std::vector<int> body_of_;              // of each mode; −1: of none
  Vector turning_;                        // 1 for each unknown, in all, of bodies that turn too far; empty: none does
  std::vector<char> below_floor_;         // bodies whose modes were not found for that reason, in this step
  double sought_above_ = 0;               // the floor then
  std::vector<char> out_;                 // bodies that are left out
  std::vector<LeftOut> left_out_;         // the same
  LeftOutCounts left_out_counts_;
  Pattern pattern_;
  std::unique_ptr<RowMatrix> rows_;
  std::vector<std::string> notes_;
  std::set<std::string> said_;
};

}  // namespace limber
